// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <vector>

#include "kernels/klt_features/klt_features.h"
#include "kernels/klt_features/suppress.h"

namespace tandem {

void klt_strength_ref(Plane<const float> dx, Plane<const float> dy, int window,
                      Plane<float> strength, Rows rows) {
  const int before = (window + 1) / 2;
  const auto clip = [&](int first, int size) {
    return Rows{std::max(0, first - before), std::min(size, first - before + window)};
  };
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = 0; x < strength.width; ++x) {
      strength.row(y)[x] = 0;
      if (x < window || x >= strength.width - window || y < window ||
          y >= strength.height - window) {
        continue;
      }
      const Rows wy = clip(y, strength.height), wx = clip(x, strength.width);
      double xx = 0, xy = 0, yy = 0;
      for (int v = wy.begin; v < wy.end; ++v) {
        for (int u = wx.begin; u < wx.end; ++u) {
          const double gx = dx.row(v)[u], gy = dy.row(v)[u];
          xx += gx * gx;
          xy += gx * gy;
          yy += gy * gy;
        }
      }
      strength.row(y)[x] = static_cast<float>((xx * yy - xy * xy) / (xx + yy + 1e-5));
    }
  }
}

void klt_select_ref(Plane<const float> strength, KltCandidates candidates, int count,
                    KltFeature* features) {
  std::vector<KltFeature> all;
  for (int y = 0; y < strength.height; ++y) {
    for (int x = 0; x < strength.width; ++x) {
      if (strength.row(y)[x] > 0 &&
          (candidates == KltCandidates::pixels || is_peak(strength, x, y)))
        all.push_back({static_cast<float>(x), static_cast<float>(y), strength.row(y)[x]});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const KltFeature& a, const KltFeature& b) {
    return a.strength > b.strength;
  });
  const auto strongest = static_cast<int>(std::min<std::size_t>(all.size(), count));
  std::fill_n(features, count, KltFeature{});
  std::copy_n(all.begin(), strongest, features);
  std::fill(features + suppress_neighbours(features, strongest), features + count, KltFeature{});
}

}  // namespace tandem
