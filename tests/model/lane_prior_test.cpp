// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/lane_prior.h"

#include <gtest/gtest.h>

#include "tests/support/step_model.h"

namespace tandem {
namespace {

using test::prior_of;

constexpr int kNumbers[] = {2, 4, 8};

TEST(LanePrior, TheBestIsTheLastThatGains) {
  EXPECT_EQ(LanePrior().best_of(kNumbers), 1) << "nothing is expected";
  EXPECT_EQ(prior_of({1, 1.04, 1.08, 1.1}).best_of(kNumbers), 4) << "8% over one lane";
  EXPECT_EQ(prior_of({1, 1.5, 1.52, 1.56}).best_of(kNumbers), 2);
  EXPECT_EQ(prior_of({1, 1.2, 1.32, 1.45}).best_of(kNumbers), 2) << "10% a doubling: it may err";
  EXPECT_EQ(prior_of({1, 1.2, 1.32, 1.65}).best_of(kNumbers), 8) << "17% a doubling";
  EXPECT_EQ(prior_of({1, 0.9, 0.8, 0.7}).best_of(kNumbers), 1);
}

TEST(LanePrior, MoreLanesMayGainOverTheBest) {
  EXPECT_NEAR(prior_of({1, 1.2, 1.32, 1.44}).gain_beyond_best_of(kNumbers), 1.2, 1e-9);
  EXPECT_EQ(prior_of({1, 1.5, 1.4, 1.3}).gain_beyond_best_of(kNumbers), 1);
  EXPECT_EQ(LanePrior().gain_beyond_best_of(kNumbers), 1) << "nothing is expected";
}

TEST(LanePrior, IsWhatTheModelExpectsOfAStreamOfFrames) {
  const auto model = test::step_model({1, 1.5, 1.8, 2});
  const LanePrior prior = lane_prior(*model, {.seconds = 1e-3, .download_part = 0.1, .stages = 3});
  EXPECT_NEAR(prior.gains[0], 1, 1e-9);
  EXPECT_NEAR(prior.gains[1], 1.5, 1e-9);
  EXPECT_NEAR(prior.gains[3], 1.8, 1e-9);
  EXPECT_NEAR(prior.gains[7], 2, 1e-9);
  EXPECT_FALSE(known(prior.gains[2])) << "three lanes are nobody's";
  EXPECT_EQ(lane_prior(*model, {}).best_of(kNumbers), 1) << "the device was not measured";
  EXPECT_FALSE(lane_prior(*model, {}).expects_any());
  EXPECT_NEAR(prior.band_gain(2), 1.5, 1e-9) << "a band is a task, on two partitions";
  EXPECT_EQ(prior.best_bands(), 2) << "this model knows of partitions alone";
}

TEST(LanePrior, TheBestBandsAreTheLastThatAnswerSooner) {
  LanePrior prior;
  EXPECT_EQ(prior.best_bands(), 1) << "nothing is expected";
  prior.band_gains = {kUnknown, 1.1, 1.2, 1.22, 1.0};
  EXPECT_EQ(prior.best_bands(), 4);
  prior.band_gains = {kUnknown, 0.9, 0.8, 0.7, 0.6};
  EXPECT_EQ(prior.best_bands(), 1);
}

TEST(LanePrior, TellsThePartThatFewerLanesHaveOfTheMeasuredGain) {
  std::array<LaneFactor, kMaxLanes> factors{{{1, 1}}};
  const LanePrior prior = prior_of({1, 1.25, 1.5, 1.5});
  fill_lane_factors(kNumbers, prior, factors);
  EXPECT_FALSE(known(factors[7].seconds)) << "nothing was measured";
  factors[7] = {0.5, 0.75};
  fill_lane_factors(kNumbers, prior, factors);
  EXPECT_DOUBLE_EQ(factors[1].seconds, 1 / 1.5);
  EXPECT_DOUBLE_EQ(factors[3].seconds, 0.5);
  EXPECT_DOUBLE_EQ(factors[1].joules, 0.75);
  factors[3] = {0.9, 1};
  fill_lane_factors(kNumbers, prior, factors);
  EXPECT_DOUBLE_EQ(factors[3].seconds, 0.9) << "what was measured stays";
}

TEST(LanePrior, FillsNothingInWithoutAGain) {
  for (const auto& [gains, factor] :
       {std::pair(test::LaneGains{1, 1.5, 1.5, 1.5}, 0.99), {{1, 1, 1, 1}, 0.5}}) {
    std::array<LaneFactor, kMaxLanes> factors{{{1, 1}}};
    factors[7].seconds = factor;
    fill_lane_factors(kNumbers, prior_of(gains), factors);
    EXPECT_FALSE(known(factors[1].seconds));
  }
  std::array<LaneFactor, kMaxLanes> none{};
  fill_lane_factors({}, prior_of({1, 2, 4, 8}), none);
}

}  // namespace
}  // namespace tandem
