// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/jobs/redis/connection.h"

namespace tandem {

struct GatherSettings {
  RedisSettings redis;
  std::string name;     ///< of this one, unlike that of any other
  std::string folder;   ///< is there
  bool follow = false;  ///< go on when all is gathered: more may be submitted
};

enum class GatherEnd {
  kAll,         ///< all videos are gathered
  kNotAll,      ///< some cannot be: jobs of them failed, or their entries are damaged
  kInterrupted  ///< by a signal
};

/// Reads results and writes the file of each video of the queue. It may be interrupted at any time:
/// the next one goes on. Nobody else may gather into the folder meanwhile. Throws Failure. The
/// process ends, with a word, when it is not over 2.5 s after a signal.
GatherEnd gather(const GatherSettings& settings);

}  // namespace tandem
