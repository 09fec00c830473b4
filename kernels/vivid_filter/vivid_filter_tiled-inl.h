// SPDX-License-Identifier: LGPL-2.1-or-later
// Votes where there are 16 registers: AVX2 and SSE.
#if defined(TANDEM_VIVID_FILTER_TILED_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TANDEM_VIVID_FILTER_TILED_INL_H_
#undef TANDEM_VIVID_FILTER_TILED_INL_H_
#else
#define TANDEM_VIVID_FILTER_TILED_INL_H_
#endif

#include <array>

#include "hwy/highway.h"
#include "kernels/vivid_filter/vivid_filter.h"

#if HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3 && HWY_TARGET <= HWY_SSSE3
HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

/// A tile of votes is kTileVectors vectors of pixels. Their sums for kTileFilters filters stay in
/// registers: each pixel that is loaded serves as many multiply-adds, each coefficient
/// kTileVectors. Three times four sums, three coefficients and a vector of pixels are all of
/// AVX2's 16 registers; without fused multiply-adds products need one more.
constexpr int kTileVectors = 4;
constexpr int kTileFilters = HWY_NATIVE_FMA ? 3 : 2;
constexpr int kTile = kTileVectors * kLanes;

/// Without it GCC loads the operand again for each of its uses: more loads than two a cycle.
HWY_INLINE void keep_in_register([[maybe_unused]] V& v) {
#if HWY_COMPILER_GCC_ACTUAL
  __asm__("" : "+x"(v.raw));
#endif
}

/// Four copies of each byte, so that a broadcasting load (no arithmetic port) fills a vector.
constexpr std::array<uint32_t, 256> kIndexBytes = [] {
  std::array<uint32_t, 256> table{};
  for (uint32_t k = 0; k < 256; ++k) table[k] = k * 0x01010101u;
  return table;
}();
HWY_INLINE const float* four_copies(int k) {
  return reinterpret_cast<const float*>(kIndexBytes.data() + k);
}

/// The strongest filter of each pixel so far. The index of all kTile pixels is one vector of bytes,
/// in the order in which `won` packs them.
struct Votes {
#if HWY_TARGET <= HWY_AVX2
  using Bytes = __m256i;
  static HWY_INLINE Bytes pack(const V* won) {
    const auto words = [&](int v) HWY_ATTR {
      return _mm256_packs_epi32(_mm256_castps_si256(won[v].raw),
                                _mm256_castps_si256(won[v + 1].raw));
    };
    return _mm256_packs_epi16(words(0), words(2));
  }
  static HWY_INLINE Bytes vote(Bytes index, Bytes won, int k) {
    return _mm256_max_epu8(
        index, _mm256_and_si256(won, _mm256_castps_si256(_mm256_broadcast_ss(four_copies(k)))));
  }
  static HWY_INLINE void write(Bytes index, uint8_t* to) {
    // Packing works in halves of 128 bits.
    const __m256i order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), _mm256_permutevar8x32_epi32(index, order));
  }
#else
  using Bytes = __m128i;
  static HWY_INLINE Bytes pack(const V* won) {
    const auto words = [&](int v) HWY_ATTR {
      return _mm_packs_epi32(_mm_castps_si128(won[v].raw), _mm_castps_si128(won[v + 1].raw));
    };
    return _mm_packs_epi16(words(0), words(2));
  }
  static HWY_INLINE Bytes vote(Bytes index, Bytes won, int k) {
    return _mm_max_epu8(index, _mm_and_si128(won, _mm_castps_si128(_mm_load1_ps(four_copies(k)))));
  }
  static HWY_INLINE void write(Bytes index, uint8_t* to) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to), index);
  }
#endif
};

/// The votes of the filters k ... k + kFilters - 1 on top of those before. The index of a filter
/// that wins is greater than all before, so that the greatest is the last that won.
template <int kFilters>
HWY_INLINE void vote_filters(const float* HWY_RESTRICT filters, int k,
                             const float* const (&rows)[3], float* HWY_RESTRICT strength,
                             Votes::Bytes* HWY_RESTRICT index) {
  const D d;
  V sum[kFilters][kTileVectors];
#pragma GCC unroll 9
  for (int tap = 0; tap < 9; ++tap) {
    V coefficient[kFilters];
#pragma GCC unroll 4
    for (int f = 0; f < kFilters; ++f) coefficient[f] = hn::Set(d, filters[9 * f + tap]);
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) {
      V pixels = hn::LoadU(d, rows[tap / 3] + tap % 3 + v * kLanes);
      keep_in_register(pixels);
#pragma GCC unroll 4
      for (int f = 0; f < kFilters; ++f) {
        sum[f][v] = tap == 0 ? hn::Mul(coefficient[f], pixels)
                             : hn::MulAdd(coefficient[f], pixels, sum[f][v]);
      }
    }
  }
#pragma GCC unroll 4
  for (int f = 0; f < kFilters; ++f) {
    V won[kTileVectors];
#pragma GCC unroll 4
    for (int v = 0; v < kTileVectors; ++v) {
      const V magnitude = hn::Abs(sum[f][v]), before = hn::Load(d, strength + v * kLanes);
      won[v] = hn::VecFromMask(d, hn::Gt(magnitude, before));
      hn::Store(hn::Max(magnitude, before), d, strength + v * kLanes);
    }
    *index = Votes::vote(*index, Votes::pack(won), k + f);
  }
}

/// Votes of kTile pixels; `above`, `here` and `below` point at their left neighbours.
void vote(const float* above, const float* here, const float* below, const FilterBank& bank,
          uint8_t* index, float* weight) {
  const D d;
  const float* const rows[3] = {above, here, below};
  HWY_ALIGN float strength[kTile] = {};
  Votes::Bytes strongest{};
  const float* filters = bank.coefficients.data();
  int k = 0;
  // No filter is left alone: one has too few sums to hide the latency of the next.
  for (; k + kTileFilters <= bank.count && bank.count - k != kTileFilters + 1; k += kTileFilters)
    vote_filters<kTileFilters>(filters + 9 * k, k, rows, strength, &strongest);
  for (; k + 2 <= bank.count; k += 2)
    vote_filters<2>(filters + 9 * k, k, rows, strength, &strongest);
  if (k < bank.count) vote_filters<1>(filters + 9 * k, k, rows, strength, &strongest);
  Votes::write(strongest, index);
  for (int x = 0; x < kTile; x += kLanes) hn::StoreU(hn::Load(d, strength + x), d, weight + x);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();
#endif

#endif
