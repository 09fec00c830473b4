// SPDX-License-Identifier: LGPL-2.1-or-later
// Votes where there are 32 registers and masked byte stores: AVX-512.
#if defined(TANDEM_VIVID_FILTER_PIPELINED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_VIVID_FILTER_PIPELINED_INL_H_
#undef TANDEM_VIVID_FILTER_PIPELINED_INL_H_
#else
#define TANDEM_VIVID_FILTER_PIPELINED_INL_H_
#endif

#include <array>

#include "hwy/highway.h"
#include "kernels/vivid_filter/vivid_filter.h"

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

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

constexpr int kTile = kLanes;

/// Votes of kTile pixels; `above`, `here` and `below` point at their left neighbours.
void vote(const float* above, const float* here, const float* below, const FilterBank& bank,
          uint8_t* index, float* weight) {
  const Neighbours n = load_neighbours(above, here, below);
  Votes votes(index);
  const float* filters = bank.coefficients.data();
  int k = vote_pipelined(bank, n, votes);
  for (const int count = bank.count; k < count; ++k) votes.add(respond(filters + 9 * k, n), k);
  votes.finish(weight);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();
#endif

#endif
