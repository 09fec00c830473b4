// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <mutex>
#include <string>
#include <thread>

#include "pipelines/jobs/job_queue.h"
#include "pipelines/jobs/redis/queue.h"
#include "pipelines/jobs/redis/queue_link.h"
#include "pipelines/jobs/worker/input_guard.h"
#include "pipelines/jobs/worker/worker_rules.h"
#include "pipelines/tandem/pipeline/end_guard.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {

/// Lines of a job between the streaming thread, which makes them, and the thread that publishes
/// them. It fills up while the server is unreachable, and then frames wait.
class LineQueue {
 public:
  static constexpr std::size_t kMostBytes = 16 << 20;
  static constexpr std::size_t kBatchBytes = 64 << 10;  ///< of an entry in the server's stream

  explicit LineQueue(uint64_t first_frame) : next_frame_(first_frame) {}

  /// Appends a line; waits while there is no room.
  void push(const std::string& line);
  /// The oldest lines, no more than kBatchBytes of them unless a single one is longer.
  ResultLines take();
  bool empty() const;
  bool full() const;  ///< push() waits
  /// From now on lines are discarded, and no call waits.
  void close();
  /// Lines that were pushed, taken or not.
  uint64_t pushed() const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable taken_;
  std::deque<std::string> lines_;
  std::size_t bytes_ = 0;
  uint64_t next_frame_;  // of the next to be taken
  uint64_t pushed_ = 0;
  bool closed_ = false;
};

/// One attempt at a job: plays it, publishes its lines as they come, and keeps the claim.
class JobRun {
 public:
  enum class Outcome {
    kComplete,
    kLost,         ///< the job is another worker's, or done
    kInterrupted,  ///< by a signal
    kFailed,
    kStuck  ///< it failed or was interrupted, and its pipeline does not stop: the process has to
  };

  /// All but claim and job must outlive the run.
  JobRun(Claim claim, Job job, std::string worker, const WorkerRules& rules,
         QueueLink<WorkQueue>& link, EndGuard& end);

  /// Plays the job on a thread of its own, so that the calling one keeps the claim, and sees stalls
  /// and signals, whatever the job waits for. Throws Failure when the queue cannot be used any
  /// more. After kStuck, this object must live as long as the process.
  Outcome play(const BinSettings& machine, const InputRules& rules);

  /// It failed for a reason other than this machine. After play().
  bool refused() const { return refused_; }

  /// The record of the run, with the reason if it failed.
  JobRecord record() const;

  /// Publishes the remaining lines and the end of the job. Call it again if it throws.
  void finish(WorkQueue& queue);

 private:
  void begin(const BinSettings& machine, const InputRules& input);
  bool has_ended_within(std::chrono::milliseconds duration);
  bool tick();
  void talk(WorkQueue& queue, bool keeps);
  void publish(WorkQueue& queue);

  const Claim claim_;
  const Job job_;
  const std::string worker_;
  const WorkerRules& rules_;
  QueueLink<WorkQueue>& link_;
  EndGuard& end_;
  const WorkerRules::Time began_;
  WorkerRules::Running running_;
  LineQueue lines_;
  ResultLines unsent_;  // taken and not known to be in the server
  uint64_t seen_ = 0;   // lines at the last tick
  bool lost_ = false;
  std::string reason_;
  std::exception_ptr hopeless_;
  std::thread player_;
  std::atomic<bool> left_{false};
  std::mutex mutex_;  // guards what follows
  std::condition_variable played_;
  bool ended_ = false, complete_ = false;
  std::string failure_;
  bool refused_ = false;
};

}  // namespace tandem
