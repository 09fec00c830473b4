// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/overhead.h"

#include <algorithm>

namespace tandem {

int training_frames(int cores) { return (cores + 2) * (cores + 1) / 2 + 2; }

double training_penalty_s(const Training& training, double throughput_fps) {
  return std::max(0.0, training.seconds - training.frames / throughput_fps);
}

bool training_allowed(double steady_s, double penalty_s, double max_overhead) {
  if (max_overhead <= 0) return false;  // also when training would cost nothing: it is off
  // t >= (1 - ov) / ov * dt, without the division
  return max_overhead * steady_s >= (1 - max_overhead) * penalty_s;
}

}  // namespace tandem
