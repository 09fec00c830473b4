// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "pipelines/jobs/job_queue.h"

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

}  // namespace tandem
