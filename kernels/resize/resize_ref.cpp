// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "kernels/resize/resize.h"

namespace tandem {
namespace {

/// How much source pixel `s` of `source` counts in output pixel `o` of `output`, along one axis.
double share(int s, int o, int source, int output) {
  const double ratio = static_cast<double>(source) / output;
  if (output <= source) {
    const double covered = std::min(s + 1.0, (o + 1) * ratio) - std::max<double>(s, o * ratio);
    return std::max(0.0, covered) / ratio;
  }
  const double centre = std::clamp((o + 0.5) * ratio - 0.5, 0.0, source - 1.0);
  return std::max(0.0, 1 - std::fabs(centre - s));
}

/// The source pixels that can count in output pixel `o`: a range that may be too wide, never too
/// narrow.
Rows reach(int o, int source, int output) {
  const double ratio = static_cast<double>(source) / output;
  return {std::max(0, static_cast<int>(o * ratio) - 2),
          std::min(source, static_cast<int>((o + 1) * ratio) + 3)};
}

}  // namespace

void resize_ref(Plane<const uint8_t> source, Plane<uint8_t> destination, Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y) {
    const Rows reach_y = reach(y, source.height, destination.height);
    for (int x = 0; x < destination.width; ++x) {
      const Rows reach_x = reach(x, source.width, destination.width);
      double mean = 0;
      for (int sy = reach_y.begin; sy < reach_y.end; ++sy) {
        for (int sx = reach_x.begin; sx < reach_x.end; ++sx) {
          mean += share(sy, y, source.height, destination.height) *
                  share(sx, x, source.width, destination.width) * source.row(sy)[sx];
        }
      }
      destination.row(y)[x] = static_cast<uint8_t>(std::clamp(std::lround(mean), 0L, 255L));
    }
  }
}

}  // namespace tandem
