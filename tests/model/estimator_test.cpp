// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/estimator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "model/median.h"

namespace tandem {
namespace {

TEST(Median, IsTheMeanOfBothMiddleOnesOfAnEvenNumber) {
  const auto of = [](std::vector<double> values) { return median(values); };
  EXPECT_EQ(of({7}), 7);
  EXPECT_EQ(of({3, 1, 2}), 2);
  EXPECT_EQ(of({4, 1}), 2.5);
  EXPECT_EQ(of({9, 1, 3, 2}), 2.5);
  EXPECT_EQ(of({5, 5, 1, 9, 0, 6}), 5);
}

// Median 10, deviations 2 1 0 1 2, their median 1: nothing is beyond 3 * 1.4826.
// Standard deviation sqrt((4 + 1 + 0 + 1 + 4) / 4).
TEST(Estimate, IsTheMeanOfTameSamples) {
  const Estimate e = estimate({12, 9, 10, 8, 11});
  EXPECT_DOUBLE_EQ(e.value, 10);
  EXPECT_DOUBLE_EQ(e.relative_spread, std::sqrt(2.5) / 10);
  EXPECT_EQ(e.samples, 5);
  EXPECT_DOUBLE_EQ(e.relative_error(), std::sqrt(2.5) / 10 / std::sqrt(5));
}

// Median 10, deviations 1 0 0 1 990: the last sample counts as 10 + 3 * 1.4826.
TEST(Estimate, ShrugsOffAnOutlier) {
  const Estimate e = estimate({9, 10, 10, 11, 1000});
  EXPECT_DOUBLE_EQ(e.value, (9 + 10 + 10 + 11 + 10 + 3 * 1.4826) / 5);
}

TEST(Estimate, IgnoresHowFarAnOutlierIs) {
  EXPECT_EQ(estimate({9, 10, 10, 11, 1000}).value, estimate({9, 10, 10, 11, 1e9}).value);
}

TEST(Estimate, OfFewSamples) {
  EXPECT_FALSE(known(estimate({}).value));
  EXPECT_EQ(estimate({}).samples, 0);
  EXPECT_DOUBLE_EQ(estimate({7}).value, 7);
  EXPECT_FALSE(known(estimate({7}).relative_spread));
  EXPECT_DOUBLE_EQ(estimate({6, 8}).value, 7);
  EXPECT_DOUBLE_EQ(estimate({5, 5, 5, 90}).value, 5);
  EXPECT_DOUBLE_EQ(estimate({5, 5, 5}).relative_spread, 0);
}

TEST(Estimate, LeavesOutTheUnknown) {
  const Estimate e = estimate({4, kUnknown, 6});
  EXPECT_DOUBLE_EQ(e.value, 5);
  EXPECT_EQ(e.samples, 2);
  EXPECT_FALSE(known(estimate({kUnknown, kUnknown}).value));
}

// Frames of 10 ms with 5% of noise, of which one in ten was descheduled and took 50 ms more: the
// plain mean is half too long.
TEST(Estimate, StaysNearTheTruthUnderContamination) {
  for (int seed = 0; seed < 50; ++seed) {
    std::mt19937 random(seed);
    std::normal_distribution<double> frame_ms(10, 0.5);
    std::vector<double> samples(30);
    for (int i = 0; i < 30; ++i) samples[i] = frame_ms(random) + (i % 10 == 3 ? 50 : 0);
    EXPECT_NEAR(estimate(samples).value, 10, 0.8) << "seed " << seed;
  }
}

TEST(Drift, OneSlowFrameIsNone) {
  DriftDetector drift(0.010, 0.15, 0.02);
  for (int i = 0; i < 1000; ++i) EXPECT_FALSE(drift.observe(i % 50 == 10 ? 10.0 : 0.010)) << i;
}

// The weighted mean of k frames cut at twice the limit is 2 (1 - (15/16)^k) limits: over 1 from
// k = 11 on.
TEST(Drift, ALastingChangeIsSeenAtTheEleventhFrame) {
  for (const double factor : {4.0, 0.25}) {
    DriftDetector drift(0.010, 0.15, 0.02);
    for (int k = 1; k <= 10; ++k) EXPECT_FALSE(drift.observe(factor * 0.010)) << k;
    EXPECT_TRUE(drift.observe(factor * 0.010));
    EXPECT_EQ(drift.ratio() > 1, factor > 1);
  }
}

TEST(Drift, ASmallChangeIsSeenLaterAndATinyOneNever) {
  DriftDetector small(0.010, 0.15, 0.02), tiny(0.010, 0.15, 0.02);
  for (int i = 0; i < 1000; ++i) {
    small.observe(0.0120);
    EXPECT_FALSE(tiny.observe(0.0112));
  }
  EXPECT_TRUE(small.drifted());
  EXPECT_NEAR(small.ratio(), 1.2, 1e-6);
}

TEST(Drift, EndsWhenTheServiceTimeReturns) {
  DriftDetector drift(0.010, 0.15, 0.02);
  for (int i = 0; i < 12; ++i) drift.observe(0.020);
  EXPECT_TRUE(drift.drifted());
  for (int i = 0; i < 20; ++i) drift.observe(0.010);
  EXPECT_FALSE(drift.drifted());
}

TEST(Drift, NoiseThatWasKnownIsNone) {
  for (int seed = 0; seed < 10; ++seed) {
    std::mt19937 random(seed);
    std::lognormal_distribution<double> frame_s(std::log(0.010), 0.3);
    DriftDetector drift(0.010, 0.15, 0.3);
    for (int i = 0; i < 20000; ++i) ASSERT_FALSE(drift.observe(frame_s(random))) << seed;
  }
}

TEST(Drift, IgnoresWhatIsNoTime) {
  DriftDetector drift(0.010, 0.15, kUnknown);
  for (int i = 0; i < 100; ++i)
    for (const double sample : {kUnknown, 0.0, -1.0, HUGE_VAL}) EXPECT_FALSE(drift.observe(sample));
  EXPECT_EQ(drift.ratio(), 1);
}

}  // namespace
}  // namespace tandem
