// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

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
    Time kept;        ///< when the server last heard that it is kept
    Time progressed;  ///< when a frame last came out, or could not because the server was away
  };

  enum class Act { kNothing, kKeep, kFail };
  Act while_running(const Running& running, Time now) const;

  /// Whether a job that was given out so often may be tried. If not, its last workers died.
  bool may_try(int attempt) const { return attempt <= most_attempts; }
  /// Whether a job that failed at this attempt is given to another worker.
  bool may_try_again(int attempt) const { return attempt < most_attempts; }

  /// How long a worker leaves jobs to others after so many failures in a row: what failed may be
  /// its own machine's fault.
  static std::chrono::milliseconds pause_after(int failures);
};

}  // namespace tandem
