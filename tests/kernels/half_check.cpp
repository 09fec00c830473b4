// SPDX-License-Identifier: LGPL-2.1-or-later
// Halves against the definition of binary16, and vectors of them on each set of instructions
// against single ones.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "kernels/plane.h"
#include "kernels/util/half.h"
#include "tests/kernels/support/implementation.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tests/kernels/half_check.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/util/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

/// Whole vectors of as many floats as `D` has.
template <class D>
void store(const std::vector<float>& from, std::vector<Half>& to) {
  const D d;
  for (std::size_t i = 0; i + hwy::HWY_NAMESPACE::Lanes(d) <= from.size();
       i += hwy::HWY_NAMESPACE::Lanes(d))
    store_halves(hwy::HWY_NAMESPACE::LoadU(d, from.data() + i), d, to.data() + i);
}

void store_all(const std::vector<float>& from, std::vector<Half>& to, bool one_by_one) {
  using hwy::HWY_NAMESPACE::CappedTag;
  one_by_one ? store<CappedTag<float, 1>>(from, to) : store<CappedTag<float, 16>>(from, to);
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(store_all);

namespace check {
namespace {

constexpr int kInfinity = 0x7c00, kSign = 0x8000;
constexpr uint16_t kNoNumber = 0x7e00;

/// What a half without a sign stands for: 1 implied bit and 10 others, or those alone.
double value_of(int bits) {
  const int exponent = bits >> 10, mantissa = bits & 0x3ff;
  if (exponent == 0) return std::ldexp(mantissa, -24);
  return std::ldexp(1024 + mantissa, exponent - 25);
}

/// All halves, what lies between two of them, and what lies beside that, with both signs.
std::vector<float> telling_values() {
  std::vector<float> values;
  const auto add = [&](float value) {
    for (const float near : {std::nextafter(value, 0.0f), value, std::nextafter(value, 1e9f)}) {
      values.push_back(near);
      values.push_back(-near);
    }
  };
  for (int bits = 0; bits < kInfinity; ++bits) {
    add(static_cast<float>(value_of(bits)));
    add(static_cast<float>((value_of(bits) + value_of(bits + 1)) / 2));
  }
  for (const float value : {1e-40f, 1e6f, 3e38f, std::numeric_limits<float>::infinity()})
    add(value);
  std::mt19937 random = generator(1);
  while (values.size() % 64 != 0)
    values.push_back(std::uniform_real_distribution(-4.0f, 4.0f)(random));
  return values;
}

TEST(Half, WidensToWhatItStandsFor) {
  for (int bits = 0; bits < kInfinity; ++bits) {
    ASSERT_EQ(Half::widened(static_cast<uint16_t>(bits)), value_of(bits)) << bits;
    const float negative = Half::widened(static_cast<uint16_t>(kSign | bits));
    ASSERT_EQ(negative, -value_of(bits)) << bits;
    ASSERT_TRUE(std::signbit(negative)) << bits;
  }
  EXPECT_EQ(Half::widened(kInfinity), std::numeric_limits<float>::infinity());
  EXPECT_EQ(Half::widened(kSign | kInfinity), -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(Half::widened(kNoNumber)));
}

TEST(Half, RoundsToTheNearestAndOfTwoToTheEvenOne) {
  for (int bits = 0; bits < kInfinity; ++bits) {
    const double here = value_of(bits), next = value_of(bits + 1);  // the last: 65536
    const auto middle = static_cast<float>((here + next) / 2);
    ASSERT_EQ(Half(static_cast<float>(here)).bits, bits);
    ASSERT_EQ(Half(std::nextafter(middle, 0.0f)).bits, bits);
    ASSERT_EQ(Half(middle).bits, bits + bits % 2);
    ASSERT_EQ(Half(std::nextafter(middle, 1e9f)).bits, bits + 1);
    ASSERT_EQ(Half(-middle).bits, kSign | (bits + bits % 2));
  }
  EXPECT_EQ(Half(std::numeric_limits<float>::infinity()).bits, kInfinity);
  EXPECT_EQ(Half(std::numeric_limits<float>::quiet_NaN()).bits, kNoNumber);
}

class HalfVectors : public testing::TestWithParam<SimdTarget> {
 protected:
  void SetUp() override { use_simd_target(GetParam().target); }
  void TearDown() override { use_simd_target(0); }
};

INSTANTIATE_TEST_SUITE_P(All, HalfVectors, testing::ValuesIn(simd_targets()), ImplementationName());

TEST_P(HalfVectors, AreRoundedAsOneIs) {
  const std::vector<float> values = telling_values();
  for (const bool one_by_one : {false, true}) {
    std::vector<Half> found(values.size());
    HWY_DYNAMIC_DISPATCH(store_all)(values, found, one_by_one);
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(found[i].bits, Half(values[i]).bits) << values[i];
  }
}

TEST_P(HalfVectors, AreWidenedAsOneIs) {
  std::vector<Half> all(2 * kInfinity);
  for (int bits = 0; bits < kInfinity; ++bits) {
    all[bits].bits = static_cast<uint16_t>(bits);
    all[kInfinity + bits].bits = static_cast<uint16_t>(kSign | bits);
  }
  std::vector<float> found(all.size());
  widen(all.data(), static_cast<int>(all.size()), found.data());
  for (std::size_t i = 0; i < all.size(); ++i) {
    ASSERT_EQ(found[i], static_cast<float>(all[i])) << all[i].bits;
    ASSERT_EQ(std::signbit(found[i]), std::signbit(static_cast<float>(all[i]))) << all[i].bits;
  }
}

TEST_P(HalfVectors, OfAnyLengthAreWidenedAndNothingBehindThem) {
  for (int count = 0; count < 70; ++count) {
    std::vector<Half> from;
    from.reserve(static_cast<std::size_t>(count));
    for (int i = 0; i < count; ++i) from.emplace_back(static_cast<float>(i) / 8);
    std::vector<float> found(static_cast<std::size_t>(count) + 16, -1.0f);
    widen(from.data(), count, found.data());
    for (int i = 0; i < count + 16; ++i)
      ASSERT_EQ(found[i], i < count ? static_cast<float>(i) / 8 : -1) << i << " of " << count;
  }
}

}  // namespace
}  // namespace check
}  // namespace tandem
#endif
