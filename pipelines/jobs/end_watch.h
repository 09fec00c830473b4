// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tandem {

/// Signals that end a command, and the end itself: whatever the other threads wait for, the process
/// is gone in time. One at a time in a process.
class EndWatch {
 public:
  using Clock = std::chrono::steady_clock;
  /// From a signal to the end: 3 s are promised, and a busy machine needs some of them.
  static constexpr std::chrono::milliseconds kPatience{2500};

  /// `name`: of who leaves, in the message. `status`: of a process that a signal ended late.
  EndWatch(std::string name, int status);
  ~EndWatch();
  EndWatch(const EndWatch&) = delete;
  EndWatch& operator=(const EndWatch&) = delete;

  bool ended() const { return ended_; }  ///< a signal came
  /// Waits. True when a signal came before or meanwhile.
  bool wait_for(std::chrono::milliseconds duration);
  /// The process ends by then, with `status` and `why` on standard error, unless this object goes.
  void leave_by(Clock::time_point end, const std::string& why, int status);
  /// The process ends so now. Nothing is unwound: other threads may use anything.
  [[noreturn]] void leave(const std::string& why, int status);

 private:
  void watch();

  const std::string name_;
  std::vector<std::pair<int, struct sigaction>> before_;
  std::atomic<bool> ended_{false};
  std::mutex mutex_;  // guards what follows
  std::condition_variable came_;
  bool over_ = false;
  Clock::time_point end_ = Clock::time_point::max();
  std::string why_;
  int status_;
  std::thread thread_;
};

}  // namespace tandem
