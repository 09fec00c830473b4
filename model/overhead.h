// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

namespace tandem {

/// Duration of a training from its first frame to its last, without the time blocked by the sink,
/// and the number of its frames.
struct Training {
  double seconds = 0;
  int frames = 0;
};

/// N_s: the frames of a training of one round an experiment, (nC + 2)(nC + 1) / 2 + 2.
int training_frames(int cores);

/// Equation 1 of Vilches: cost = duration - frames / `throughput_fps`, the rate of the
/// configuration that was chosen. At least 0. Counts the frames that were used instead of N_s,
/// because the clock and the energy counters decide how long an experiment lasts.
double training_penalty_s(const Training& training, double throughput_fps);

/// Equation 2 of Vilches: whether penalties of `penalty_s` are at most the share `max_overhead`
/// (0 ... 1) of a run that took `steady_s` besides. With the time since the last training and its
/// penalty this is the paper's rule. With all the time and all the penalties since the stream
/// began, those expected of the next training included, it bounds any run.
bool training_allowed(double steady_s, double penalty_s, double max_overhead);

}  // namespace tandem
