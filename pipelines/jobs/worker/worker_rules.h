// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <chrono>

namespace tandem {

/// The rules of a worker, as pure functions: time is passed in, no server or pipeline is used.
struct WorkerRules {
  using Clock = std::chrono::steady_clock;
  using Time = Clock::time_point;

  std::chrono::milliseconds claim_limit{60'000};   ///< silence after which others take its job
  std::chrono::milliseconds stall_limit{300'000};  ///< without a frame, after which it gives up
  int most_attempts = 3;                           ///< of a job, in all

  /// The job under way.
  struct Running {
    Time kept;        ///< time of the last renewal of its claim
    Time progressed;  ///< when a frame last came out, or could not because the server was away
  };

  enum class Act { kNothing, kKeep, kFail };
  Act while_running(const Running& running, Time now) const {
    if (now - running.progressed >= stall_limit) return Act::kFail;
    // Three reports may be lost or late before the claim is.
    return now - running.kept >= claim_limit / 4 ? Act::kKeep : Act::kNothing;
  }

  /// Whether a job may be tried at this attempt. If not, its last workers died.
  bool may_try(int attempt) const { return attempt <= most_attempts; }
  /// Whether a job that failed at this attempt is given to another worker.
  bool may_try_again(int attempt) const { return attempt < most_attempts; }

  /// The pause of a worker after this number of failures in a row, whose reason may be its own
  /// machine.
  static std::chrono::milliseconds pause_after(int failures) {
    constexpr std::chrono::milliseconds kFirst{1000}, kLongest{30'000};
    if (failures <= 0) return {};
    return std::min(kFirst * (1 << std::min(failures - 1, 5)), kLongest);
  }
};

}  // namespace tandem
