// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/latency_sketch.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace tandem {
namespace {

constexpr double kHalfABucket = 1.0 / 64;

TEST(LatencySketch, IsUnknownWithoutTimes) {
  LatencySketch sketch;
  EXPECT_TRUE(std::isnan(sketch.percentile_s(95)));
  sketch.add(5'000'000);
  sketch.clear();
  EXPECT_EQ(sketch.count(), 0u);
  EXPECT_TRUE(std::isnan(sketch.percentile_s(50)));
}

// 100 times of 1 to 100 ms: the 95th is the one that 95 of 100 do not surpass.
TEST(LatencySketch, PercentilesAreByNearestRank) {
  LatencySketch sketch;
  for (uint64_t ms = 1; ms <= 100; ++ms) sketch.add(ms * 1'000'000);
  EXPECT_NEAR(sketch.percentile_s(50), 0.050, 0.050 * kHalfABucket);
  EXPECT_NEAR(sketch.percentile_s(95), 0.095, 0.095 * kHalfABucket);
  EXPECT_NEAR(sketch.percentile_s(100), 0.100, 0.100 * kHalfABucket);
}

TEST(LatencySketch, IsWithinHalfABucketOfSortedTimes) {
  std::mt19937 random(1);
  std::lognormal_distribution<double> time_ns(std::log(3e6), 1.5);
  LatencySketch sketch;
  std::vector<double> all;
  for (int i = 0; i < 10'000; ++i) {
    const auto ns = static_cast<uint64_t>(std::clamp(time_ns(random), 2e3, 1e11));
    sketch.add(ns);
    all.push_back(static_cast<double>(ns));
  }
  std::ranges::sort(all);
  for (const int percent : {1, 25, 50, 75, 95, 99}) {
    const double exact_s = 1e-9 * all[all.size() * percent / 100 - 1];
    EXPECT_NEAR(sketch.percentile_s(percent), exact_s, exact_s * kHalfABucket) << percent;
  }
}

TEST(LatencySketch, WhatIsOutOfRangeIsAtItsEnds) {
  LatencySketch sketch;
  sketch.add(0);
  EXPECT_NEAR(sketch.percentile_s(95), 1.04e-6, 1e-7);
  sketch.clear();
  sketch.add(~uint64_t{0});
  EXPECT_NEAR(sketch.percentile_s(95), 1100, 30);
}

}  // namespace
}  // namespace tandem
