// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/scene_classifier/bell.h"

#include <algorithm>
#include <cmath>

namespace tandem {

Bell::Bell(float centre, int middle, float sigma, int reach)
    : first_(middle - std::min(reach, kMostReach)), reach_(std::min(reach, kMostReach)) {
  const float factor = -1 / (2 * sigma * sigma);
  for (int i = 0; i <= 2 * reach_; ++i) {
    const float d = static_cast<float>(first_ + i) - centre;
    values_[i] = std::exp(d * d * factor);
  }
  std::fill(values_ + 2 * reach_ + 1, values_ + sizeof values_ / sizeof *values_, 0.0f);
}

}  // namespace tandem
