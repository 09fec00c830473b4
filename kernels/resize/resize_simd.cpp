// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <vector>

#include "kernels/resize/axis.h"
#include "kernels/resize/resize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resize/resize_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/resize/resize_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

/// Rounds to levels.
struct StoreLevels {
  uint8_t* out;
  void operator()(int x, V sums) const {
    hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(d32, sums)), d8, out + x);
  }
  void operator()(int x, float sum) const {
    out[x] = static_cast<uint8_t>(std::clamp(sum, 0.0f, 255.0f));
  }
};

void run(Plane<const uint8_t> source, Plane<uint8_t> destination, Rows rows) {
  const ResizeAxis& across = ResizeAxis::cached(source.width, destination.width);
  const ResizeAxis& down = ResizeAxis::cached(source.height, destination.height);
  thread_local std::vector<float> line;
  for (int y = rows.begin; y < rows.end; ++y) {
    average_rows(source, down, y, static_cast<std::size_t>(across.taps), line);
    average_columns<1>(line.data(), across, 0.5f, StoreLevels{destination.row(y)});
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(run);

void resize_simd(Plane<const uint8_t> source, Plane<uint8_t> destination, Rows rows) {
  if (rows.count() <= 0 || destination.width <= 0) return;
  HWY_DYNAMIC_DISPATCH(run)(source, destination, rows);
}

}  // namespace tandem
#endif
