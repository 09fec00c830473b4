// SPDX-License-Identifier: LGPL-2.1-or-later
// The two passes of a resampling: down the columns of some rows, then along the line.
#if defined(TANDEM_RESIZE_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_RESIZE_LINES_INL_H_
#undef TANDEM_RESIZE_LINES_INL_H_
#else
#define TANDEM_RESIZE_LINES_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/highway.h"
#include "kernels/plane.h"
#include "kernels/resize/axis.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
const hn::Rebind<uint8_t, D> d8;
const hn::Rebind<int32_t, D> d32;

/// line[x] = the sum over the taps of row `y` of `down` * source[row][x]. `line` becomes as wide as
/// `source`, and readable `more` elements past that.
void average_rows(Plane<const uint8_t> source, const ResizeAxis& down, int y, std::size_t more,
                  std::vector<float>& line) {
  const D d;
  const std::size_t padded = static_cast<std::size_t>(source.width) + more;
  if (line.size() < padded) line.resize(padded);
  const int first = down.first[y], count = std::min(down.taps, source.height - first);
  int x = 0;
  for (; x + kLanes <= source.width; x += kLanes) {
    V sum = hn::Zero(d);
    for (int t = 0; t < count; ++t) {
      const V level =
          hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, source.row(first + t) + x)));
      sum = hn::MulAdd(hn::Set(d, down.weights_of_tap(t)[y]), level, sum);
    }
    hn::StoreU(sum, d, line.data() + x);
  }
  for (; x < source.width; ++x) {
    line[x] = 0;
    for (int t = 0; t < count; ++t) line[x] += down.weights_of_tap(t)[y] * source.row(first + t)[x];
  }
}

/// Calls store(x, sums) for vectors, and store(x, sum) for the numbers behind them, of `start` plus
/// the sums over the taps of `axis` * line. Elements of one row are kStep apart in `line`, which is
/// readable kStep * axis.taps past its end.
template <int kStep, class Store>
HWY_INLINE void average_columns(const float* line, const ResizeAxis& axis, float start,
                                const Store& store) {
  const D d;
  int x = 0;
  for (; x + kLanes <= axis.output; x += kLanes) {
    V sum = hn::Set(d, start);
    auto first = hn::LoadU(d32, &axis.first[x]);
    if constexpr (kStep == 2) first = hn::Add(first, first);
    for (int t = 0; t < axis.taps; ++t) {
      const V weight = hn::LoadU(d, axis.weights_of_tap(t) + x);
      sum = hn::MulAdd(weight, hn::GatherIndex(d, line + kStep * t, first), sum);
    }
    store(x, sum);
  }
  for (; x < axis.output; ++x) {
    float sum = start;
    for (int t = 0; t < axis.taps; ++t)
      sum += axis.weights_of_tap(t)[x] * line[kStep * (axis.first[x] + t)];
    store(x, sum);
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#endif
