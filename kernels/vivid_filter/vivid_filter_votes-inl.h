// SPDX-License-Identifier: LGPL-2.1-or-later
// Votes of kTile neighbouring pixels. Registers and instructions decide how they are counted.
#if defined(TANDEM_VIVID_FILTER_VOTES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_VIVID_FILTER_VOTES_INL_H_
#undef TANDEM_VIVID_FILTER_VOTES_INL_H_
#else
#define TANDEM_VIVID_FILTER_VOTES_INL_H_
#endif

#include <array>

#include "hwy/highway.h"
#include "kernels/vivid_filter/vivid_filter.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

/// Four copies of each byte, so that a broadcasting load (no arithmetic port) fills a vector.
constexpr std::array<uint32_t, 256> kIndexBytes = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t k = 0; k < 256; ++k) table[k] = k * 0x01010101u;
  return table;
}();
[[maybe_unused]] HWY_INLINE const float* four_copies(int k) {
  return reinterpret_cast<const float*>(kIndexBytes.data() + k);
}

#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3 && HWY_TARGET <= HWY_SSSE3

// --- 16 registers: AVX2 and SSE ---

/// A tile of votes is kTileVectors vectors of pixels. Their sums for kTileFilters filters stay in
/// registers: each pixel that is loaded serves as many multiply-adds, each coefficient
/// kTileVectors. Three times four sums, three coefficients and a vector of pixels are all of
/// AVX2's 16 registers; without fused multiply-adds products need one more.
constexpr int kTileVectors = 4;
constexpr int kTileFilters = HWY_NATIVE_FMA ? 3 : 2;
constexpr int kTile = kTileVectors * kLanes;
constexpr int kMostFilters = 255;

/// Without it GCC loads the operand again for each of its uses: more loads than two a cycle.
HWY_INLINE void keep_in_register([[maybe_unused]] V& v) {
#if HWY_COMPILER_GCC_ACTUAL
  __asm__("" : "+x"(v.raw));
#endif
}

/// The index of all kTile pixels is one vector of bytes, in the order in which `won` packs them.
///
/// The constructors are written out: GCC 12 without optimisation crashes while it makes them.
struct Indices {
#if HWY_TARGET <= HWY_AVX2
  __m256i bytes;

  HWY_INLINE Indices() : bytes(_mm256_setzero_si256()) {}

  HWY_INLINE void set_where(const V* won, int k) {
    const auto words = [&](int v) HWY_ATTR {
      return _mm256_packs_epi32(_mm256_castps_si256(won[v].raw),
                                _mm256_castps_si256(won[v + 1].raw));
    };
    bytes = _mm256_blendv_epi8(bytes, _mm256_castps_si256(_mm256_broadcast_ss(four_copies(k))),
                               _mm256_packs_epi16(words(0), words(2)));
  }
  HWY_INLINE void store(uint8_t* to) const {
    // Packing works in halves of 128 bits.
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_store_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(bytes, order));
  }
#else
  __m128i bytes;

  HWY_INLINE Indices() : bytes(_mm_setzero_si128()) {}

  HWY_INLINE void set_where(const V* won, int k) {
    const auto words = [&](int v) HWY_ATTR {
      return _mm_packs_epi32(_mm_castps_si128(won[v].raw), _mm_castps_si128(won[v + 1].raw));
    };
    // An index is greater than all before. SSSE3 has no blend.
    bytes = _mm_max_epu8(bytes, _mm_and_si128(_mm_packs_epi16(words(0), words(2)),
                                              _mm_castps_si128(_mm_load1_ps(four_copies(k)))));
  }
  HWY_INLINE void store(uint8_t* to) const {
    _mm_store_si128(reinterpret_cast<__m128i*>(to), bytes);
  }
#endif
};

/// The filters' answers to the pixels of a tile, and which filters answered most strongly so far.
///
/// The strongest is found in two steps. The greatest of kTileFilters answers costs a maximum for
/// each, but a comparison and the packing of its result only once. The filter itself is looked up
/// in the end, among all answers.
struct Votes {
  HWY_ALIGN float window[9 * kTile];  // the pixels that each tap is multiplied by
  HWY_ALIGN float strength[kTile] = {};
  Indices first;  // of the filters that were computed together with the strongest
  HWY_ALIGN float answers[(kMostFilters + 1) * kTile];

  HWY_INLINE Votes(const float* const (&rows)[3]) {
    const D d;
    for (int tap = 0; tap < 9; ++tap) {
      for (int x = 0; x < kTile; x += kLanes)
        hn::Store(hn::LoadU(d, rows[tap / 3] + tap % 3 + x), d, window + tap * kTile + x);
    }
  }

  /// The filters k ... k + kFilters - 1.
  template <int kFilters>
  HWY_INLINE void add(const float* HWY_RESTRICT filters, int k) {
    const D d;
    V sum[kFilters][kTileVectors];
#pragma GCC unroll 9
    for (int tap = 0; tap < 9; ++tap) {
      V coefficient[kFilters];
#pragma GCC unroll 4
      for (int f = 0; f < kFilters; ++f) coefficient[f] = hn::Set(d, filters[9 * f + tap]);
#pragma GCC unroll 4
      for (int v = 0; v < kTileVectors; ++v) {
        V pixels = hn::Load(d, window + tap * kTile + v * kLanes);
        keep_in_register(pixels);
#pragma GCC unroll 4
        for (int f = 0; f < kFilters; ++f) {
          sum[f][v] = tap == 0 ? hn::Mul(coefficient[f], pixels)
                               : hn::MulAdd(coefficient[f], pixels, sum[f][v]);
        }
      }
    }
    V won[kTileVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) {
      const V before = hn::Load(d, strength + v * kLanes);
      V greatest = before;
#pragma GCC unroll 4
      for (int f = 0; f < kFilters; ++f) {
        hn::Store(sum[f][v], d, answers + (k + f) * kTile + v * kLanes);
        greatest = hn::Max(hn::Abs(sum[f][v]), greatest);
      }
      won[v] = hn::VecFromMask(d, hn::Gt(greatest, before));
      hn::Store(greatest, d, strength + v * kLanes);
    }
    first.set_where(won, k);
  }

  HWY_INLINE void write(uint8_t* index, float* weight) const {
    const D d;
    const hn::Rebind<int32_t, D> d32;
    const hn::Rebind<uint8_t, D> d8;
    HWY_ALIGN uint8_t firsts[kTile];
    first.store(firsts);
    for (int x = 0; x < kTile; x += kLanes) {
      const V greatest = hn::Load(d, strength + x);
      const auto k = hn::PromoteTo(d32, hn::Load(d8, firsts + x));
      const auto at = hn::Add(hn::Mul(k, hn::Set(d32, kTile)), hn::Iota(d32, x));
      const auto another = [&](const float* answer) HWY_ATTR {
        return hn::Ne(hn::Abs(hn::GatherIndex(d, answer, at)), greatest);
      };
      // Without a vote nothing is looked up.
      const auto not_first = hn::And(another(answers), hn::Gt(greatest, hn::Zero(d)));
      const auto nor_second = hn::And(not_first, another(answers + kTile));
      const auto further = [&](auto mask) HWY_ATTR {
        return hn::IfThenElseZero(hn::RebindMask(d32, mask), hn::Set(d32, 1));
      };
      const auto winner = hn::Add(k, hn::Add(further(not_first), further(nor_second)));
      hn::StoreU(hn::DemoteTo(d8, winner), d8, index + x);
      hn::StoreU(greatest, d, weight + x);
    }
  }
};

/// Votes of kTile pixels; `above`, `here` and `below` point at their left neighbours.
void vote(const float* above, const float* here, const float* below, const FilterBank& bank,
          uint8_t* index, float* weight) {
  Votes votes({above, here, below});
  const float* filters = bank.coefficients.data();
  int k = 0;
  // No filter is left alone: one has too few sums to hide the latency of the next.
  for (; k + kTileFilters <= bank.count && bank.count - k != kTileFilters + 1; k += kTileFilters)
    votes.add<kTileFilters>(filters + 9 * k, k);
  for (; k + 2 <= bank.count; k += 2) votes.add<2>(filters + 9 * k, k);
  if (k < bank.count) votes.add<1>(filters + 9 * k, k);
  votes.write(index, weight);
}

#else

// --- A vector of pixels at a time ---

constexpr int kTile = kLanes;

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

HWY_INLINE V respond(const float* filter, const Neighbours& n) {
  const D d;
  V r = hn::Mul(hn::Set(d, filter[0]), n.v[0]);
#pragma GCC unroll 8
  for (int tap = 1; tap < 9; ++tap) r = hn::MulAdd(hn::Set(d, filter[tap]), n.v[tap], r);
  return r;
}

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3

// AVX-512 has 32 registers and masked byte stores.
#undef INLINE_BODY
#define INLINE_BODY HWY_ATTR __attribute__((always_inline))

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
    const __m128i bytes = _mm_castps_si128(_mm_broadcast_ss(four_copies(k)));
    _mm_mask_storeu_epi8(index, won, bytes);
    strength = stronger;
  }
  HWY_INLINE void finish(float* weight) const { hn::StoreU(strength, D(), weight); }
};

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
  /// with tap 8. So a step's multiply-adds do not depend on each other, however few instructions
  /// the core looks ahead (presumably fewer while a sibling thread is busy). `filter` points at
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
  const auto fill = [&]<int... i>(std::integer_sequence<int, i...>) INLINE_BODY {
    (p.step<i, 0, i>(f + 9 * i, i, n, votes), ...);
  };
  const auto go_around = [&]<int... i>(std::integer_sequence<int, i...>, int k) INLINE_BODY {
    (p.step<(i + 8) % 9, 0, 8>(f + 9 * i, k + i, n, votes), ...);
  };
  const auto drain = [&]<int... i>(std::integer_sequence<int, i...>, int k) INLINE_BODY {
    (p.step<(i + 8) % 9, i + 1, 8>(f + 9 * i, k + i, n, votes), ...);
  };
  fill(std::make_integer_sequence<int, 8>());
  f += 72;
  int k = 8;
  for (const int count = bank.count; k + 9 <= count; k += 9, f += 81)
    go_around(std::make_integer_sequence<int, 9>(), k);
  drain(std::make_integer_sequence<int, 8>(), k);
  return k;
}

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

HWY_INLINE int vote_pipelined(const FilterBank&, const Neighbours&, Votes&) { return 0; }

#endif

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

#endif

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#endif
