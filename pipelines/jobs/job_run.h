// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <exception>
#include <string>

#include "pipelines/jobs/job_queue.h"
#include "pipelines/jobs/line_queue.h"
#include "pipelines/jobs/queue_link.h"
#include "pipelines/jobs/worker_rules.h"
#include "pipelines/tandem/elements.h"

namespace tandem {

/// One attempt at a job: plays it, publishes its lines as they come, and keeps the claim.
class JobRun {
 public:
  enum class Outcome {
    kComplete,
    kLost,         ///< the job is another worker's, or done
    kInterrupted,  ///< by a signal
    kFailed
  };

  /// All must outlive the run.
  JobRun(const Claim& claim, const Job& job, std::string worker, const WorkerRules& rules,
         QueueLink<WorkQueue>& link);

  /// Throws Failure when the queue cannot be used any more.
  Outcome play(const BinSettings& machine);

  /// What is known of it; the reason where it failed.
  JobRecord record() const;

  /// Publishes what is left, and that the job is done. To be called again when it throws.
  void finish(WorkQueue& queue);

 private:
  bool tick();
  void talk(WorkQueue& queue, bool keeps);
  void publish(WorkQueue& queue);

  const Claim& claim_;
  const Job& job_;
  const std::string worker_;
  const WorkerRules& rules_;
  QueueLink<WorkQueue>& link_;
  const WorkerRules::Time began_;
  WorkerRules::Running running_;
  LineQueue lines_;
  ResultLines unsent_;  // taken and not known to be in the server
  uint64_t seen_ = 0;   // lines at the last tick
  bool lost_ = false;
  std::string reason_;
  std::exception_ptr hopeless_;  // GLib's loop, which calls tick(), lets no exception through
};

}  // namespace tandem
