// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "kernels/vivid_filter/vivid_filter.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vivid_filter/vivid_filter_simd.cpp"
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
constexpr int kMaxBlock = 2 * kLanes;

#undef TANDEM_MASKED_VOTES
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
#define TANDEM_MASKED_VOTES 1
#else
#define TANDEM_MASKED_VOTES 0
#endif

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

/// The neighbourhood of kLanes pixels, row by row.
struct Neighbours {
  V v[9];
};

HWY_INLINE Neighbours load_neighbours(const float* above, const float* here, const float* below) {
  const D d;
  return {{hn::LoadU(d, above), hn::LoadU(d, above + 1), hn::LoadU(d, above + 2),
           hn::LoadU(d, here), hn::LoadU(d, here + 1), hn::LoadU(d, here + 2), hn::LoadU(d, below),
           hn::LoadU(d, below + 1), hn::LoadU(d, below + 2)}};
}

#if TANDEM_MASKED_VOTES

/// Four copies of each byte, so that a broadcasting load (no arithmetic port) fills 16 lanes.
constexpr std::array<uint32_t, 256> kIndexBytes = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t k = 0; k < 256; ++k) table[k] = k * 0x01010101u;
  return table;
}();

/// The strongest filter so far. 512-bit arithmetic has two ports and the multiply-adds fill them:
/// the index is kept by masked byte stores, which use neither, straight in the output.
struct Votes {
  V strength;
  uint8_t* index;

  HWY_INLINE explicit Votes(uint8_t* index_out) : strength(hn::Zero(D())), index(index_out) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(index), _mm_setzero_si128());
  }
  HWY_INLINE void add(V r, int k) {
    constexpr int kGreatestMagnitude = 0b1011;
    const V stronger{_mm512_range_ps(r.raw, strength.raw, kGreatestMagnitude)};
    const __mmask16 won = _mm512_cmp_ps_mask(stronger.raw, strength.raw, _CMP_NEQ_UQ);
    const __m128i bytes =
        _mm_castps_si128(_mm_broadcast_ss(reinterpret_cast<const float*>(kIndexBytes.data() + k)));
    _mm_mask_storeu_epi8(index, won, bytes);
    strength = stronger;
  }
  HWY_INLINE void finish(float* weight) const { hn::StoreU(strength, D(), weight); }
};

#else

struct Votes {
  V strength, strongest;
  uint8_t* index;

  HWY_INLINE explicit Votes(uint8_t* index_out)
      : strength(hn::Zero(D())), strongest(hn::Zero(D())), index(index_out) {}
  HWY_INLINE void add(V r, int k) {
    const V magnitude = hn::Abs(r);
    const auto won = hn::Gt(magnitude, strength);
    strongest = hn::IfThenElse(won, hn::Set(D(), static_cast<float>(k)), strongest);
    strength = hn::IfThenElse(won, magnitude, strength);
  }
  HWY_INLINE void finish(float* weight) const {
    const hn::Rebind<int32_t, D> d32;
    const hn::Rebind<uint8_t, D> d8;
    hn::StoreU(hn::DemoteTo(d8, hn::ConvertTo(d32, strongest)), d8, index);
    hn::StoreU(strength, D(), weight);
  }
};

#endif

HWY_INLINE V respond(const float* filter, const Neighbours& n) {
  const D d;
  V r = hn::Mul(hn::Set(d, filter[0]), n.v[0]);
  r = hn::MulAdd(hn::Set(d, filter[1]), n.v[1], r);
  r = hn::MulAdd(hn::Set(d, filter[2]), n.v[2], r);
  r = hn::MulAdd(hn::Set(d, filter[3]), n.v[3], r);
  r = hn::MulAdd(hn::Set(d, filter[4]), n.v[4], r);
  r = hn::MulAdd(hn::Set(d, filter[5]), n.v[5], r);
  r = hn::MulAdd(hn::Set(d, filter[6]), n.v[6], r);
  r = hn::MulAdd(hn::Set(d, filter[7]), n.v[7], r);
  return hn::MulAdd(hn::Set(d, filter[8]), n.v[8], r);
}

/// Votes of 2 * kLanes pixels; `above`, `here` and `below` point at their left neighbours.
void vote_block(const float* above, const float* here, const float* below, const FilterBank& bank,
                uint8_t* index, float* weight) {
  const Neighbours left = load_neighbours(above, here, below);
  const Neighbours right = load_neighbours(above + kLanes, here + kLanes, below + kLanes);
  Votes left_votes(index), right_votes(index + kLanes);
  const float* filter = bank.coefficients.data();
  for (int k = 0; k < bank.count; ++k, filter += 9) {
    left_votes.add(respond(filter, left), k);
    right_votes.add(respond(filter, right), k);
  }
  left_votes.finish(weight);
  right_votes.finish(weight + kLanes);
}

/// Votes of one inner row. `intensity` holds the rows above, here and below, readable kMaxBlock + 2
/// past their end.
void vote_row(const float* const intensity[3], int width, const FilterBank& bank, uint8_t* index,
              float* weight) {
  index[0] = index[width - 1] = 0;
  weight[0] = weight[width - 1] = 0;
  for (int x = 1; x < width - 1; x += kMaxBlock) {
    const int left = std::min(kMaxBlock, width - 1 - x);
    const float *above = intensity[0] + x - 1, *here = intensity[1] + x - 1,
                *below = intensity[2] + x - 1;
    if (left == kMaxBlock) {
      vote_block(above, here, below, bank, index + x, weight + x);
    } else {
      uint8_t last_index[kMaxBlock];
      float last_weight[kMaxBlock];
      vote_block(above, here, below, bank, last_index, last_weight);
      std::memcpy(index + x, last_index, left);
      std::memcpy(weight + x, last_weight, left * sizeof(float));
    }
  }
}

void run(Plane<const uint8_t> luma, const FilterBank& bank, Plane<uint8_t> index,
         Plane<float> weight, Rows rows) {
  // Three rows in turns. What lies past a row's end is read, never used.
  thread_local std::vector<float> scratch;
  const std::size_t stride = luma.width + kMaxBlock + 2;
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
