// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/jobs/redis_connection.h"

namespace tandem {

struct GatherSettings {
  RedisSettings redis;
  std::string name;     ///< of this one, unlike that of any other
  std::string folder;   ///< is there
  bool follow = false;  ///< go on when all is gathered: more may be submitted
};

/// Reads results and writes the file of each video of the queue. It may be interrupted at any time:
/// the next one goes on. Returns when all videos are gathered, or false when some cannot be: jobs
/// of them failed. Throws Failure.
bool gather(const GatherSettings& settings);

}  // namespace tandem
