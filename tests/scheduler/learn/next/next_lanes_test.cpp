// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_lanes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace tandem {
namespace {

using Gains = std::array<double, 4>;  // of 1, 2, 4 and 8 lanes

constexpr int kNumbers[] = {2, 4, 8};

LanePrior prior_of(const Gains& gains) {
  LanePrior prior;
  for (std::size_t i = 0; i < gains.size(); ++i) prior.gains[(1u << i) - 1] = gains[i];
  return prior;
}

// The numbers of lanes that are measured, in order.
std::vector<int> measured(const Gains& truth, const LanePrior& prior) {
  std::array<LaneFactor, kMaxLanes> factors{{{1, 1}}};
  std::vector<int> made;
  for (;;) {
    const auto next = next_lanes(kNumbers, factors, prior, [&](int lanes) {
      return std::ranges::find(made, lanes) != made.end();
    });
    if (!next) return made;
    made.push_back(*next);
    const auto rung = static_cast<std::size_t>(std::lround(std::log2(*next)));
    factors[static_cast<std::size_t>(*next) - 1].seconds = 1 / truth[rung];
  }
}

double best_of(const Gains& truth, const std::vector<int>& made) {
  double best = 1;
  for (const int lanes : made)
    best = std::max(best, truth[static_cast<std::size_t>(std::lround(std::log2(lanes)))]);
  return best;
}

using Lanes = std::vector<int>;

TEST(NextLanesTest, WithoutAPriorTwiceAsManyUntilThatGainsLittle) {
  EXPECT_EQ(measured({1, 1.02, 1.5, 2}, {}), (Lanes{2}));
  EXPECT_EQ(measured({1, 1.8, 1.82, 2}, {}), (Lanes{2, 4}));
  EXPECT_EQ(measured({1, 1.8, 3, 3.1}, {}), (Lanes{2, 4, 8}));
}

TEST(NextLanesTest, WhereAGainIsExpectedTheNumberThatHasItIsMeasured) {
  const Gains two{1, 1.8, 1.82, 1.84}, four{1, 1.8, 3, 3.1}, eight{1, 1.8, 3, 4};
  EXPECT_EQ(measured(two, prior_of(two)), (Lanes{2}));
  EXPECT_EQ(measured(four, prior_of(four)), (Lanes{4}));
  EXPECT_EQ(measured(eight, prior_of(eight)), (Lanes{8}));
  EXPECT_EQ(measured(eight, prior_of(two)), (Lanes{2})) << "more lanes are for trials to try";
}

TEST(NextLanesTest, ASurpriseMeansTwiceAsManyEachTime) {
  const Gains two{1, 1.8, 1.82, 1.84}, four{1, 1.8, 3, 3.1};
  EXPECT_EQ(measured(two, prior_of(four)), (Lanes{4, 2})) << "less than expected";
  EXPECT_EQ(measured(four, prior_of({1, 2, 4, 8})), (Lanes{8, 2, 4}));
  EXPECT_EQ(measured(two, prior_of({1, 2, 4, 8})), (Lanes{8, 2})) << "8 gain as much";
  EXPECT_EQ(measured(four, prior_of({1, 1.2, 1.2, 1.2})), (Lanes{2, 4, 8})) << "more than expected";
}

// What is tried beside the best, one after the other.
std::vector<std::string> unproven(const std::string& best, const LanePrior& prior,
                                  const std::string& left_out = {}) {
  Facts facts;
  facts.chain.stages = 2;
  facts.chain.cores = 8;
  facts.chain.lanes = {2, 4, 8};
  facts.prior = prior;
  Choice measured;
  EXPECT_EQ(parse_configuration(best, 2, 8, measured.ranked[0].configuration), "");
  measured.count = 1;
  std::vector<Trial> trials{{measured.best().configuration, {}, {}}};
  std::vector<std::string> tried;
  const auto worth = [&](const Configuration& one) { return to_string(one) != left_out; };
  while (const auto next = unproven_lanes(measured, trials, facts, worth)) {
    tried.push_back(to_string(*next));
    trials.push_back({*next, {}, {}});
  }
  return tried;
}

TEST(NextLanesTest, WhatAPriorSparedIsTriedAround) {
  using Names = std::vector<std::string>;
  const LanePrior four = prior_of({1, 1.8, 2.5, 2.5}), eight = prior_of({1, 1.8, 2.5, 3});
  EXPECT_EQ(unproven("gg/cg5/q4", four),
            (Names{"gg/cg1/q4", "gg/cg5/q8", "gg/cg1/q8", "gg/cg1/q2"}));
  EXPECT_EQ(unproven("gg/cg5/q4", four, "gg/cg5/q8"),
            (Names{"gg/cg1/q4", "gg/cg1/q8", "gg/cg1/q2"}));
  EXPECT_EQ(unproven("gg/mg/q4", four)[0], "gg/cg1/q4");
  EXPECT_EQ(unproven("gg/cg5/q8", eight), (Names{"gg/cg1/q8", "gg/cg1/q4"}))
      << "more than enough lanes may hinder each other";
  EXPECT_EQ(unproven("gg/cg5/q2", eight), (Names{"gg/cg1/q2"})) << "what was expected was not best";
  const LanePrior two = prior_of({1, 1.1, 1.1, 1.1});
  EXPECT_EQ(unproven("gg/cg1/q2", two), (Names{"gg/cg1/q4", "gg/cg1"}))
      << "more lanes before fewer, which are behind";
  EXPECT_EQ(unproven("gg/cg1/q4", two), (Names{"gg/cg1/q8"})) << "more than expected were better";
  EXPECT_EQ(unproven("gg/cg5/q8", {}), Names{}) << "without a prior all numbers were measured";
}

TEST(NextLanesTest, WhereNoneIsExpectedTwiceAsManyAreTried) {
  EXPECT_EQ(measured({1, 1.8, 3, 3.1}, prior_of({1, 1, 1, 1})), (Lanes{2, 4, 8}));
}

TEST(NextLanesTest, NoGainEndsIt) {
  const Gains none{1, 1, 1, 1};
  for (const Gains& expected : {Gains{1, 1, 1, 1}, {1, 2, 2, 2}, {1, 2, 4, 4}, {1, 2, 4, 8}})
    EXPECT_EQ(measured(none, prior_of(expected)).size(), 1U);
}

TEST(NextLanesTest, WhatIsNotExpectedIsNoPrior) {
  LanePrior unknown;
  EXPECT_EQ(unknown.best_of(kNumbers), 1);
  unknown.gains[7] = 3;
  EXPECT_EQ(unknown.best_of(kNumbers), 8) << "of those that are known";
}

TEST(NextLanesTest, ADeviceThatTakesNoFrameEndsIt) {
  std::array<LaneFactor, kMaxLanes> factors{{{1, 1}}};
  EXPECT_EQ(next_lanes(kNumbers, factors, prior_of({1, 2, 4, 4}), [](int n) { return n == 4; }),
            std::nullopt);
}

// Whatever is expected of whatever device, as long as no doubling loses, or gains more than the one
// before it.
TEST(NextLanesTest, NoPriorCostsMoreThanNone) {
  std::mt19937 random(5);
  std::uniform_real_distribution<double> gain(1, 2), part(0, 1);
  const auto any = [&] {
    Gains gains{1, gain(random), gain(random), gain(random)};
    for (std::size_t i = 2; i < gains.size(); ++i) gains[i] *= gains[i - 1];
    return gains;
  };
  for (int round = 0; round < 20000; ++round) {
    Gains truth{1, gain(random)};
    for (std::size_t i = 2; i < truth.size(); ++i) {
      const double most = truth[i - 1] / truth[i - 2];
      truth[i] = truth[i - 1] * (1 + part(random) * (most - 1));
    }
    const Lanes without = measured(truth, {});
    for (const Gains& expected : {any(), truth}) {
      const Lanes with = measured(truth, prior_of(expected));
      ASSERT_LE(with.size(), without.size()) << "round " << round;
      // Trials show what two doublings more gain.
      if (expected == truth) {
        ASSERT_GE(best_of(truth, with) * std::pow(1 + kExpectedLaneGain, 2),
                  best_of(truth, without));
      }
    }
  }
}

TEST(NextLanesTest, WithoutAnExpectedGainTwoLanesShowIt) {
  std::array<LaneFactor, kMaxLanes> factors{{{1, 1}}};
  const LanePrior none = prior_of({1, 1, 1, 1});
  EXPECT_FALSE(as_expected(kNumbers, factors, none)) << "they were not measured";
  factors[1].seconds = 0.98;
  EXPECT_TRUE(as_expected(kNumbers, factors, none));
  factors[1].seconds = 0.6;
  EXPECT_FALSE(as_expected(kNumbers, factors, none));
}

TEST(NextLanesTest, TheTrainingTellsWhatTheDeviceTakesOfAFrame) {
  Facts facts;
  facts.chain.stages = 3;
  facts.chain.device_capable = 3;
  EXPECT_FALSE(known(device_frame(facts).seconds));
  Observation apart;
  apart.configuration = {{3, 3}, Granularity::coarse, 1};
  apart.kind = Observation::Kind::stages;
  apart.stages = {{3e-3, 0, 1e-3}, {4e-3, 0, 1e-3}, {9e-3, 0, 0}};
  Observation whole = apart;
  whole.kind = Observation::Kind::experiment;
  whole.frame_s = 15e-3;
  whole.cores_s = 9e-3;
  facts.observations = {apart};
  EXPECT_DOUBLE_EQ(device_frame(facts).seconds, 8e-3) << "one by one, with the download";
  facts.observations = {apart, whole};
  const DeviceFrame frame = device_frame(facts);
  EXPECT_DOUBLE_EQ(frame.seconds, 6e-3);
  EXPECT_DOUBLE_EQ(frame.download_part, 1.0 / 8);
  EXPECT_EQ(frame.stages, 2);
}

}  // namespace
}  // namespace tandem
