// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <tbb/global_control.h>

#include <algorithm>
#include <thread>

#include "pipelines/tandem/options/options.h"

namespace tandem {

/// How many threads a command may use: 0 is one for each core.
inline Option threads_option(int& threads) {
  return option("threads", threads, "N", "Threads to use; 0 = one for each core (0)");
}

/// Holds for oneTBB while the result lives. Throws UsageError.
inline tbb::global_control limit_threads(int threads) {
  if (threads < 0) throw UsageError("--threads must not be negative");
  return {tbb::global_control::max_allowed_parallelism,
          threads > 0 ? static_cast<std::size_t>(threads)
                      : std::max(1u, std::thread::hardware_concurrency())};
}

}  // namespace tandem
