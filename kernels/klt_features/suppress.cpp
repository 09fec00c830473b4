// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/klt_features/suppress.h"

#include <algorithm>

namespace tandem {

int suppress_neighbours(KltFeature* features, int count) {
  constexpr float kNear = kKltSuppressionPixels * kKltSuppressionPixels;
  int kept = 0;
  for (int i = 0; i < count; ++i) {
    const KltFeature f = features[i];
    const bool alone = std::all_of(features, features + kept, [&](const KltFeature& k) {
      return (f.x - k.x) * (f.x - k.x) + (f.y - k.y) * (f.y - k.y) > kNear;
    });
    if (alone) features[kept++] = f;
  }
  return kept;
}

bool is_peak(Plane<const float> strength, int x, int y) {
  const float here = strength.row(y)[x];
  const auto at = [&](int dx, int dy) {
    const int u = x + dx, v = y + dy;
    const bool inside = u >= 0 && u < strength.width && v >= 0 && v < strength.height;
    return inside ? strength.row(v)[u] : 0.0f;
  };
  return here > at(-1, 0) && here > at(-1, -1) && here > at(0, -1) && here > at(1, -1) &&
         here >= at(1, 0) && here >= at(-1, 1) && here >= at(0, 1) && here >= at(1, 1);
}

}  // namespace tandem
