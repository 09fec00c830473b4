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

}  // namespace tandem
