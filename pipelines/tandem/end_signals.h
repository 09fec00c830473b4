// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

namespace tandem {

/// The signals that ask a command to end and to keep what it has: SIGINT, SIGTERM, and SIGHUP
/// unless the caller ignores it, as nohup does.
std::vector<int> end_signals();

}  // namespace tandem
