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
  std::string name;     ///< of the worker, unlike that of any other
  BinSettings machine;  ///< what changes how fast it is and not what comes out
  InputRules input;
  WorkerRules rules;
  bool until_empty = false;      ///< leave when no job is left
  uint64_t most_results = 4096;  ///< entries in the server above which no job is begun
};

/// Takes jobs until a signal comes, or none is left. Returns false when a signal came. Throws
/// Failure when the queue cannot be used. The process ends, with a word, when a job cannot be
/// stopped, or when it is not over 2.5 s after a signal.
bool work(const WorkerSettings& settings);

}  // namespace tandem
