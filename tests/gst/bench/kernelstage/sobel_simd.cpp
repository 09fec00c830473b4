// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cstdlib>

#include "tests/gst/bench/kernelstage/sobel.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/gst/bench/kernelstage/sobel_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

uint8_t edge(const uint8_t* const rows[3], int left, int x, int right, int threshold) {
  const auto side = [&](int at) { return rows[0][at] + 2 * rows[1][at] + rows[2][at]; };
  const auto down = [&](int at) { return rows[2][at] - rows[0][at]; };
  const int gx = side(right) - side(left), gy = down(left) + 2 * down(x) + down(right);
  return std::abs(gx) + std::abs(gy) >= threshold ? 255 : 0;
}

void row(const uint8_t* const rows[3], int width, int threshold, uint8_t* edges) {
  const hn::ScalableTag<int16_t> d;
  const hn::Rebind<uint8_t, decltype(d)> d8;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto below = hn::Set(d, static_cast<int16_t>(threshold - 1));
  const auto strong = hn::Set(d, int16_t{255});
  const auto load = [&](int row, int x) { return hn::PromoteTo(d, hn::LoadU(d8, rows[row] + x)); };
  const auto twice = [](auto v) HWY_ATTR { return hn::Add(v, v); };
  int x = 1;
  for (; x + lanes < width; x += lanes) {
    const auto up_left = load(0, x - 1), up_right = load(0, x + 1);
    const auto down_left = load(2, x - 1), down_right = load(2, x + 1);
    const auto gx = hn::Add(hn::Add(hn::Sub(up_right, up_left), hn::Sub(down_right, down_left)),
                            twice(hn::Sub(load(1, x + 1), load(1, x - 1))));
    const auto gy = hn::Add(hn::Add(hn::Sub(down_left, up_left), hn::Sub(down_right, up_right)),
                            twice(hn::Sub(load(2, x), load(0, x))));
    const auto is_edge = hn::Gt(hn::Add(hn::Abs(gx), hn::Abs(gy)), below);
    hn::StoreU(hn::DemoteTo(d8, hn::IfThenElseZero(is_edge, strong)), d8, edges + x);
  }
  for (; x < width - 1; ++x) edges[x] = edge(rows, x - 1, x, x + 1, threshold);
  edges[0] = edge(rows, 0, 0, std::min(1, width - 1), threshold);
  edges[width - 1] = edge(rows, std::max(width - 2, 0), width - 1, width - 1, threshold);
}

void run(Plane<const uint8_t> luma, int threshold, Plane<uint8_t> edges) {
  for (int y = 0; y < luma.height; ++y) {
    const uint8_t* const rows[3] = {luma.row(std::max(y - 1, 0)), luma.row(y),
                                    luma.row(std::min(y + 1, luma.height - 1))};
    row(rows, luma.width, threshold, edges.row(y));
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

void sobel_by_hand(Plane<const uint8_t> luma, int threshold, Plane<uint8_t> edges) {
  HWY_DYNAMIC_DISPATCH(run)(luma, threshold, edges);
}

}  // namespace tandem
#endif
