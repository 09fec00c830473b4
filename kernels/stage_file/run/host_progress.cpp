// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/host_progress.h"

#include <thread>

namespace tandem {

// Bands last some ten microseconds, and a machine may have fewer cores than threads.
void HostProgress::pause() { std::this_thread::yield(); }

}  // namespace tandem
