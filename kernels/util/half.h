// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <bit>
#include <cstdint>

namespace tandem {

/// A floating-point number of 2 bytes, IEEE 754 binary16, for memory and not for arithmetic.
/// Neighbours from 2^-14 to 65504 differ by 2^-10 of a power of two. Smaller ones differ by 2^-24.
/// Reading a half widens it, which is exact. Writing one rounds to the nearest half, and to the
/// even one of two equally near ones, as devices and half-inl.h do.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  explicit Half(float value) : bits(rounded(value)) {}
  operator float() const { return widened(bits); }

  /// The infinity of its sign from 65520 on.
  static constexpr uint16_t rounded(float value) {
    const auto all = std::bit_cast<uint32_t>(value);
    const auto sign = static_cast<uint16_t>(all >> 16 & 0x8000);
    const uint32_t magnitude = all & 0x7fffffff;
    if (magnitude > 0x7f800000) return sign | 0x7e00;  // no number
    if (magnitude >= std::bit_cast<uint32_t>(65520.0f)) return sign | kInfinity;
    if (magnitude < std::bit_cast<uint32_t>(0x1p-14f)) {
      // From 1/2 on floats are 2^-24 apart too: the addition rounds.
      const float sum = 0.5f + std::bit_cast<float>(magnitude);
      return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(sum) - kHalfOfOne));
    }
    const uint32_t odd = magnitude >> kBitsLess & 1;
    return static_cast<uint16_t>(
        sign | (((magnitude + kAlmostHalf + odd) >> kBitsLess) - (kBiasLess << kMantissaBits)));
  }

  static constexpr float widened(uint16_t half) {
    const uint32_t sign = (half & 0x8000U) << 16, magnitude = half & 0x7fffU;
    uint32_t bits = (magnitude << kBitsLess) + (kBiasLess << (kMantissaBits + kBitsLess));
    if (magnitude >= kInfinity) bits += kBiasLess << (kMantissaBits + kBitsLess);
    if (magnitude < 1U << kMantissaBits)
      bits = std::bit_cast<uint32_t>(static_cast<float>(magnitude) * 0x1p-24f);
    return std::bit_cast<float>(sign | bits);
  }

  static constexpr int kMantissaBits = 10;
  static constexpr int kBitsLess = 13;            ///< of the mantissa, than a float
  static constexpr uint32_t kAlmostHalf = 0xfff;  ///< of what these bits can be
  static constexpr uint32_t kBiasLess = 127 - 15;
  static constexpr uint16_t kInfinity = 0x7c00;
  static constexpr uint32_t kHalfOfOne = std::bit_cast<uint32_t>(0.5f);
};

static_assert(sizeof(Half) == 2);

/// Widens `count` halves.
void widen(const Half* from, int count, float* to);

}  // namespace tandem
