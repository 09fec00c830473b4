// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <vector>

#include "kernels/resize/axis.h"
#include "kernels/resize/resize.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/resize/resize_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

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

/// line[x] = sum over `count` source rows of weights[row] * source[row][x].
void average_rows(Plane<const uint8_t> source, int first, const float* weights, int count,
                  float* line) {
  const D d;
  int x = 0;
  for (; x + kLanes <= source.width; x += kLanes) {
    V sum = hn::Zero(d);
    for (int t = 0; t < count; ++t) {
      const V level =
          hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, source.row(first + t) + x)));
      sum = hn::MulAdd(hn::Set(d, weights[t]), level, sum);
    }
    hn::StoreU(sum, d, line + x);
  }
  for (; x < source.width; ++x) {
    line[x] = 0;
    for (int t = 0; t < count; ++t) line[x] += weights[t] * source.row(first + t)[x];
  }
}

/// out[x] = the rounded sum over the taps of axis[x] * line. `line` is readable axis.taps past its
/// end.
void average_columns(const float* line, const ResizeAxis& axis, uint8_t* out) {
  const D d;
  int x = 0;
  for (; x + kLanes <= axis.output; x += kLanes) {
    V sum = hn::Set(d, 0.5f);
    const auto first = hn::LoadU(d32, &axis.first[x]);
    for (int t = 0; t < axis.taps; ++t) {
      const V weight = hn::LoadU(d, axis.weights_of_tap(t) + x);
      sum = hn::MulAdd(weight, hn::GatherIndex(d, line + t, first), sum);
    }
    hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(d32, sum)), d8, out + x);
  }
  for (; x < axis.output; ++x) {
    float sum = 0.5f;
    for (int t = 0; t < axis.taps; ++t) sum += axis.weights_of_tap(t)[x] * line[axis.first[x] + t];
    out[x] = static_cast<uint8_t>(std::clamp(sum, 0.0f, 255.0f));
  }
}

void run(Plane<const uint8_t> source, Plane<uint8_t> destination, Rows rows) {
  const ResizeAxis& across = ResizeAxis::cached(source.width, destination.width);
  const ResizeAxis& down = ResizeAxis::cached(source.height, destination.height);
  thread_local std::vector<float> line, weights;
  const std::size_t padded = source.width + across.taps;
  if (line.size() < padded) line.resize(padded);
  if (weights.size() < static_cast<std::size_t>(down.taps)) weights.resize(down.taps);
  for (int y = rows.begin; y < rows.end; ++y) {
    const int first = down.first[y], count = std::min(down.taps, source.height - first);
    for (int t = 0; t < count; ++t) weights[t] = down.weights_of_tap(t)[y];
    average_rows(source, first, weights.data(), count, line.data());
    average_columns(line.data(), across, destination.row(y));
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
