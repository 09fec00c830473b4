// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>

#include "pipelines/jobs/redis/connection.h"
#include "pipelines/jobs/worker/input_guard.h"
#include "pipelines/jobs/worker/worker_rules.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {

struct WorkerSettings {
  RedisSettings redis;
  std::string name;     ///< unique name of the worker
  BinSettings machine;  ///< settings that change the speed and not the result
  InputRules input;
  WorkerRules rules;
  bool until_empty = false;      ///< end when no job is left
  uint64_t most_results = 4096;  ///< entries in the server above which no job is begun
};

/// Takes jobs until a signal comes, or none is left. Returns false when a signal came. Throws
/// Failure when the queue cannot be used. The process ends with a message if a job cannot be
/// stopped, or if this has not returned 2.5 s after a signal.
bool work(const WorkerSettings& settings);

}  // namespace tandem
