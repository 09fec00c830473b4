// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>

namespace tandem {

/// Duration of a training from its first frame to its last, without the time blocked by the sink,
/// and the number of its frames.
struct Training {
  double seconds = 0;
  int frames = 0;
};

/// Equation 1 of Vilches: cost = duration - frames / `throughput_fps`, the rate of the
/// configuration that was chosen. At least 0. Counts the frames that were used instead of N_s,
/// because the clock and the energy counters decide how long an experiment lasts.
inline double training_penalty_s(const Training& training, double throughput_fps) {
  return std::max(0.0, training.seconds - training.frames / throughput_fps);
}

/// Equation 2 of Vilches: whether penalties of `penalty_s` are at most the share `max_overhead`
/// (0 ... 1) of a run that took `steady_s` besides. With the time since the last training and its
/// penalty this is the paper's rule. With all the time and all the penalties since the stream
/// began, those expected of the next training included, it bounds any run.
inline bool training_allowed(double steady_s, double penalty_s, double max_overhead) {
  if (max_overhead <= 0) return false;  // also when training would cost nothing: it is off
  // t >= (1 - ov) / ov * dt, without the division
  return max_overhead * steady_s >= (1 - max_overhead) * penalty_s;
}

}  // namespace tandem
