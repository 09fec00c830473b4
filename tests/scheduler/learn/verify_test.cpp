// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/verify.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

// The device is slow at the first stage and fast at the second, which the cores are slow at.
Measurements both_sides() {
  const auto cost = [](double seconds) { return Cost{seconds, {}}; };
  Measurements m;
  m.cores = 4;
  m.stages = {{.cg = cost(1e-3), .mg = cost(0.5e-3), .device = cost(4e-3), .has_device = true},
              {.cg = cost(9e-3), .mg = cost(4e-3), .device = cost(0.5e-3), .has_device = true}};
  for (int n = 1; n <= m.cores + 1; ++n) m.cg.push_back(cost(10e-3 / std::min(n, m.cores)));
  return m;
}

class VerifyTest : public testing::Test {
 protected:
  VerifyTest() {
    learnt_.origin = Learnt::Origin::other_sizes;
    learnt_.findings.measurements = both_sides();
    learnt_.chosen = predictor_.choose(both_sides(), {}, {}, {}, Which::all).best();
  }

  Verdict verdict() const { return verify(learnt_, looks_, {}, {}, predictor_); }
  void look(const Configuration& configuration, double ratio) {
    look_of(configuration, ratio * predictor_.predict(both_sides(), configuration).throughput_fps);
  }
  void look_of(const Configuration& configuration, double fps) {
    Observation seen;
    seen.configuration = configuration;
    seen.kind = Observation::Kind::look;
    seen.frame_s = 1 / fps;
    looks_.push_back(seen);
  }

  const AnalyticPredictor predictor_;
  Learnt learnt_;
  std::vector<Observation> looks_;
};

TEST_F(VerifyTest, WhatDoesAsExpectedHoldsAfterALookAtAnotherKind) {
  const Verdict first = verdict();
  ASSERT_EQ(first.is, Verdict::Is::open);
  EXPECT_EQ(first.look_at, learnt_.chosen.configuration);
  look(first.look_at, 1.02);
  const Verdict second = verdict();
  ASSERT_EQ(second.is, Verdict::Is::open);
  EXPECT_NE(second.look_at.mapping, first.look_at.mapping);
  const std::vector<Observation> before = looks_;
  look(second.look_at, 0.98);
  EXPECT_EQ(verdict().is, Verdict::Is::holds);
  looks_ = before;
  look(second.look_at, 2);
  EXPECT_EQ(verdict().is, Verdict::Is::stale) << "the first did as expected by chance";
  learnt_.origin = Learnt::Origin::slower;
  looks_ = before;
  EXPECT_EQ(verdict().is, Verdict::Is::holds) << "of the same size one look tells";
}

// What two lanes gain at this size they need not have gained at others.
TEST_F(VerifyTest, LanesThatGainMoreThanAtOtherSizesAreNoStaleKnowledge) {
  learnt_.findings.measurements.lane_factors[1] = {1.2, 1};
  const auto look_at_lanes = [&](int lanes, double ratio) {
    const Configuration one{{2, 2}, Granularity::coarse, 5, lanes};
    look_of(one, ratio * predictor_.predict(learnt_.findings.measurements, one).throughput_fps);
  };
  look_at_lanes(2, 1.55);
  look_at_lanes(1, 1);
  EXPECT_NE(verdict().is, Verdict::Is::stale);
  look_of({{0, 2}, Granularity::coarse, 4},
          0.9 * predictor_.predict(both_sides(), {{0, 2}, Granularity::coarse, 4}).throughput_fps);
  EXPECT_EQ(verdict().is, Verdict::Is::stale) << "the cores do less, and these lanes more";
}

// Something else takes the cores: what needs few of them is as fast as it was.
TEST_F(VerifyTest, WhereCoresAreTakenTheDeviceAloneIsLookedAtFirst) {
  learnt_.origin = Learnt::Origin::slower;
  const Configuration cores{{0, 2}, Granularity::coarse, 4}, device{{3, 2}, Granularity::coarse, 1};
  for (const Configuration& ran : {cores, device}) {
    const Prediction as_expected = predictor_.predict(both_sides(), ran);
    learnt_.findings.trials.push_back({ran, as_expected, as_expected});
  }
  look(learnt_.chosen.configuration, 0.1);
  const Verdict first = verdict();
  ASSERT_EQ(first.is, Verdict::Is::open);
  EXPECT_EQ(first.look_at, device) << "more is expected of " << to_string(cores);
  const std::vector<Observation> before = looks_;
  look(device, 1);
  EXPECT_EQ(verdict().is, Verdict::Is::holds) << "though looks disagree";
  EXPECT_EQ(verdict().best.configuration, device);
  looks_ = before;
  look(device, 0.5);
  EXPECT_EQ(verdict().is, Verdict::Is::stale);
}

// The device was taken for slow, because its threads wait for the cores: looks say what is slow.
TEST_F(VerifyTest, WhereTheDeviceIsBlamedForTheCoresTheDeviceAloneIsLookedAtFirst) {
  Measurements& blamed = learnt_.findings.measurements;
  blamed.stages[0].device.seconds = 1e-3;
  const Configuration all{{3, 2}, Granularity::coarse, 5}, device{{3, 2}, Granularity::coarse, 1};
  const double alone_fps = predictor_.predict(blamed, device).throughput_fps;
  for (StageMeasurements& stage : blamed.stages) stage.device.seconds *= 1.85;
  const Prediction as_blamed = predictor_.predict(blamed, device);
  learnt_.findings.trials = {{device, as_blamed, as_blamed}};
  learnt_.origin = Learnt::Origin::slower;
  learnt_.device_takes = 1.85;
  learnt_.chosen = {all, predictor_.predict(blamed, all)};
  look_of(all, learnt_.chosen.prediction.throughput_fps / 1.85);
  const Verdict first = verdict();
  ASSERT_EQ(first.is, Verdict::Is::open);
  EXPECT_EQ(first.look_at, device);
  look_of(device, alone_fps);
  EXPECT_EQ(verdict().is, Verdict::Is::holds);
  EXPECT_EQ(verdict().best.configuration, device);
  looks_.resize(1);
  look_of(device, as_blamed.throughput_fps);
  EXPECT_EQ(verdict().best.configuration, all) << "it is slow indeed";
}

TEST_F(VerifyTest, WhereBothSidesDoLessThanExpectedOneSideAloneTellsWhichOneErrs) {
  const Configuration chosen = learnt_.chosen.configuration;
  ASSERT_TRUE(chosen.mapping.any_device() && !chosen.mapping.decoupled()) << to_string(chosen);
  look(chosen, 0.6);
  const Verdict next = verdict();
  ASSERT_EQ(next.is, Verdict::Is::open);
  EXPECT_TRUE(!next.look_at.mapping.any_device() || next.look_at.mapping.decoupled())
      << to_string(next.look_at);
  const std::vector<Observation> before = looks_;
  look(next.look_at, 2);
  EXPECT_EQ(verdict().is, Verdict::Is::stale) << "one side is three times as far off as both";
  looks_ = before;
  look(next.look_at, 0.6);
  EXPECT_NE(verdict().is, Verdict::Is::stale) << "an error that all share changes no choice";
}

}  // namespace
}  // namespace tandem
