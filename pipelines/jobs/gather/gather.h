// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/jobs/redis/connection.h"

namespace tandem {

struct GatherSettings {
  RedisSettings redis;
  std::string name;     ///< unique name of this gather
  std::string folder;   ///< must exist
  bool follow = false;  ///< wait for further videos when all are gathered
};

enum class GatherEnd {
  kAll,         ///< all videos are gathered
  kNotAll,      ///< some cannot be: jobs of them failed, or their entries are damaged
  kInterrupted  ///< by a signal
};

/// Reads results and writes the file of each video of the queue. It may be interrupted at any time:
/// the next one continues. No other process may gather into the folder meanwhile. Throws Failure.
/// The process ends with a message if this has not returned 2.5 s after a signal.
GatherEnd gather(const GatherSettings& settings);

}  // namespace tandem
