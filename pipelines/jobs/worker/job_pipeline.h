// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>

#include "pipelines/jobs/job.h"
#include "pipelines/jobs/worker/input_guard.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {

/// Callbacks while a job's pipeline plays.
struct JobHandlers {
  /// With a line of JSON for each frame, in order, in a streaming thread.
  std::function<void(const std::string& line)> line;
  /// Ten times a second, on the calling thread. True: stop the job.
  std::function<bool()> is_left;
  /// The pipeline is about to be stopped: no call of `line` may wait any longer.
  std::function<void()> stopping;
};

/// Plays what `tandem run` plays, over the frames of the job, by the rules for its input.
/// `machine`: settings that change the speed and not the result. Returns false if it was stopped.
/// Throws Failure and UsageError, also when the frames that came were not those of the part. May
/// wait forever for a file system, a driver or an element: call it on a thread of its own.
bool play_job(const Job& job, const BinSettings& machine, const InputRules& rules,
              const JobHandlers& handlers);

}  // namespace tandem
