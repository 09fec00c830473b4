// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
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

/// 32 registers and masked byte stores.
#undef TANDEM_PIPELINED_VOTES
#if HWY_TARGET <= HWY_AVX3 && HWY_ARCH_X86
#define TANDEM_PIPELINED_VOTES 1
#else
#define TANDEM_PIPELINED_VOTES 0
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

#if TANDEM_PIPELINED_VOTES

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

#if TANDEM_PIPELINED_VOTES

/// The filters in the pipeline: filter k keeps its sum in sums[k % 9].
struct Pipeline {
  V sums[9];

  /// The filter that entered kTap steps ago takes that tap, when kFirst <= kTap <= kLast. `filter`
  /// is the one that enters now.
  template <int kSlot, int kTap, int kFirst, int kLast>
  HWY_INLINE void take(const float* filter, const Neighbours& n) {
    if constexpr (kFirst <= kTap && kTap <= kLast) {
      V& sum = sums[(kSlot + 9 - kTap) % 9];
      sum = hn::MulAdd(hn::Set(D(), filter[kTap - 9 * kTap]), n.v[kTap], sum);
    }
  }

  /// Filter k enters at tap 0 while the one before is at tap 1, and so on to the one that leaves
  /// with tap 8: a step's multiply-adds do not depend on each other, however few instructions the
  /// core looks ahead (presumably fewer while a sibling thread is busy). `filter` points at
  /// filter k and kSlot is k % 9. Steps that fill or drain the pipeline do the taps kFirst ...
  /// kLast alone.
  template <int kSlot, int kFirst, int kLast>
  HWY_INLINE void step(const float* filter, int k, const Neighbours& n, Votes& votes) {
    take<kSlot, 8, kFirst, kLast>(filter, n);
    take<kSlot, 7, kFirst, kLast>(filter, n);
    take<kSlot, 6, kFirst, kLast>(filter, n);
    take<kSlot, 5, kFirst, kLast>(filter, n);
    take<kSlot, 4, kFirst, kLast>(filter, n);
    take<kSlot, 3, kFirst, kLast>(filter, n);
    take<kSlot, 2, kFirst, kLast>(filter, n);
    take<kSlot, 1, kFirst, kLast>(filter, n);
    if constexpr (kLast == 8) votes.add(sums[(kSlot + 1) % 9], k - 8);
    // After the vote: GCC folds the broadcast into the product only when no store stands between.
    if constexpr (kFirst == 0) sums[kSlot] = hn::Mul(hn::Set(D(), filter[0]), n.v[0]);
  }
};

/// All votes of as many filters as fill the pipeline and go around in it; returns how many those
/// are.
HWY_INLINE int vote_pipelined(const FilterBank& bank, const Neighbours& n, Votes& votes) {
  if (bank.count < 8) return 0;
  const float* f = bank.coefficients.data();
  Pipeline p;
  p.step<0, 0, 0>(f, 0, n, votes);
  p.step<1, 0, 1>(f + 9, 1, n, votes);
  p.step<2, 0, 2>(f + 18, 2, n, votes);
  p.step<3, 0, 3>(f + 27, 3, n, votes);
  p.step<4, 0, 4>(f + 36, 4, n, votes);
  p.step<5, 0, 5>(f + 45, 5, n, votes);
  p.step<6, 0, 6>(f + 54, 6, n, votes);
  p.step<7, 0, 7>(f + 63, 7, n, votes);
  f += 72;
  int k = 8;
  for (const int count = bank.count; k + 9 <= count; k += 9, f += 81) {
    p.step<8, 0, 8>(f, k, n, votes);
    p.step<0, 0, 8>(f + 9, k + 1, n, votes);
    p.step<1, 0, 8>(f + 18, k + 2, n, votes);
    p.step<2, 0, 8>(f + 27, k + 3, n, votes);
    p.step<3, 0, 8>(f + 36, k + 4, n, votes);
    p.step<4, 0, 8>(f + 45, k + 5, n, votes);
    p.step<5, 0, 8>(f + 54, k + 6, n, votes);
    p.step<6, 0, 8>(f + 63, k + 7, n, votes);
    p.step<7, 0, 8>(f + 72, k + 8, n, votes);
  }
  p.step<8, 1, 8>(f, k, n, votes);
  p.step<0, 2, 8>(f + 9, k + 1, n, votes);
  p.step<1, 3, 8>(f + 18, k + 2, n, votes);
  p.step<2, 4, 8>(f + 27, k + 3, n, votes);
  p.step<3, 5, 8>(f + 36, k + 4, n, votes);
  p.step<4, 6, 8>(f + 45, k + 5, n, votes);
  p.step<5, 7, 8>(f + 54, k + 6, n, votes);
  p.step<6, 8, 8>(f + 63, k + 7, n, votes);
  return k;
}

#endif

/// Votes of kLanes pixels; `above`, `here` and `below` point at their left neighbours.
void vote(const float* above, const float* here, const float* below, const FilterBank& bank,
          uint8_t* index, float* weight) {
  const Neighbours n = load_neighbours(above, here, below);
  Votes votes(index);
  int k = 0;
#if TANDEM_PIPELINED_VOTES
  k = vote_pipelined(bank, n, votes);
#endif
  const float* filters = bank.coefficients.data();
  for (const int count = bank.count; k < count; ++k) votes.add(respond(filters + 9 * k, n), k);
  votes.finish(weight);
}

/// Votes of one inner row. `intensity` holds the rows above, here and below, readable kLanes + 2
/// past their end.
void vote_row(const float* const intensity[3], int width, const FilterBank& bank, uint8_t* index,
              float* weight) {
  index[0] = index[width - 1] = 0;
  weight[0] = weight[width - 1] = 0;
  for (int x = 1; x < width - 1; x += kLanes) {
    const int left = std::min(kLanes, width - 1 - x);
    const float *above = intensity[0] + x - 1, *here = intensity[1] + x - 1,
                *below = intensity[2] + x - 1;
    if (left == kLanes) {
      vote(above, here, below, bank, index + x, weight + x);
    } else {
      uint8_t last_index[kLanes];
      float last_weight[kLanes];
      vote(above, here, below, bank, last_index, last_weight);
      std::copy_n(last_index, left, index + x);
      std::copy_n(last_weight, left, weight + x);
    }
  }
}

void run(Plane<const uint8_t> luma, const FilterBank& bank, Plane<uint8_t> index,
         Plane<float> weight, Rows rows) {
  // Three rows in turns. What lies past a row's end is read, never used.
  thread_local std::vector<float> scratch;
  const std::size_t stride = luma.width + kLanes + 2;
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
