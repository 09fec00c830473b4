// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <vector>

#include "kernels/vivid_filter/vivid_filter.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vivid_filter/vivid_filter_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/vivid_filter/vivid_filter_votes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

/// luma / 255 as the reference rounds it.
void to_intensity(const uint8_t* luma, int width, float* intensity) {
  const D d;
  const hn::Rebind<uint8_t, D> d8;
  const hn::Rebind<int32_t, D> d32;
  const V scale = hn::Set(d, 255.0f);
  int x = 0;
  for (; x + kLanes <= width; x += kLanes) {
    const V level = hn::ConvertTo(d, hn::PromoteTo(d32, hn::LoadU(d8, luma + x)));
#if HWY_NATIVE_FMA
    // A division costs as much as nine filters here; one correction of the quotient makes it exact.
    const V inverse = hn::Set(d, 1 / 255.0f);
    const V quotient = hn::Mul(level, inverse);
    const V remainder = hn::NegMulAdd(quotient, scale, level);
    hn::StoreU(hn::MulAdd(remainder, inverse, quotient), d, intensity + x);
#else
    hn::StoreU(hn::Div(level, scale), d, intensity + x);
#endif
  }
  for (; x < width; ++x) intensity[x] = luma[x] / 255.0f;
}

/// Votes of one inner row. `intensity` holds the rows above, here and below, readable kTile + 2
/// past their end. The last tile may compute some pixels again.
void vote_row(const float* const intensity[3], int width, const FilterBank& bank, uint8_t* index,
              float* weight) {
  index[0] = index[width - 1] = 0;
  weight[0] = weight[width - 1] = 0;
  const int inside = width - 2;
  const auto at = [&](int x, uint8_t* to_index, float* to_weight) {
    vote(intensity[0] + x, intensity[1] + x, intensity[2] + x, bank, to_index, to_weight);
  };
  if (inside < kTile) {
    uint8_t all_index[kTile];
    float all_weight[kTile];
    at(0, all_index, all_weight);
    std::copy_n(all_index, inside, index + 1);
    std::copy_n(all_weight, inside, weight + 1);
    return;
  }
  for (int x = 0; x < inside; x += kTile) {
    const int first = std::min(x, inside - kTile);
    at(first, index + 1 + first, weight + 1 + first);
  }
}

void run(Plane<const uint8_t> luma, const FilterBank& bank, Plane<uint8_t> index,
         Plane<float> weight, Rows rows) {
  // Three rows in turns. Values past a row's end are read, never used.
  thread_local std::vector<float> scratch;
  const std::size_t stride = luma.width + kTile + 2;
  if (scratch.size() < 3 * stride) scratch.resize(3 * stride);
  const auto intensity = [&](int y) { return scratch.data() + (y % 3) * stride; };

  int converted = std::max(rows.begin - 1, 0);  // rows below this one are in `scratch`
  for (int y = rows.begin; y < rows.end; ++y) {
    if (y == 0 || y == luma.height - 1 || luma.width < 3) {
      std::fill_n(index.row(y), luma.width, uint8_t{0});
      std::fill_n(weight.row(y), luma.width, 0.0f);
      continue;
    }
    for (; converted <= y + 1; ++converted) {
      to_intensity(luma.row(converted), luma.width, intensity(converted));
    }
    const float* const neighbours[3] = {intensity(y - 1), intensity(y), intensity(y + 1)};
    vote_row(neighbours, luma.width, bank, index.row(y), weight.row(y));
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

void vivid_filter_simd(Plane<const uint8_t> luma, const FilterBank& bank, Plane<uint8_t> index,
                       Plane<float> weight, Rows rows) {
  HWY_DYNAMIC_DISPATCH(run)(luma, bank, index, weight, rows);
}

}  // namespace tandem
#endif
