// SPDX-License-Identifier: LGPL-2.1-or-later

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "scheduler/learn/belief/choice.h"
#include "scheduler/learn/keep/derived.h"

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
    learnt_.facts.chain.stages = 2;
    learnt_.facts.chain.cores = 4;
    learnt_.facts.chain.device_capable = 3;
    learnt_.findings.measurements = both_sides();
    learnt_.chosen = choose(both_sides(), {}).best();
  }

  // Looks until there is a verdict, at a machine that does this.
  template <class Rate>
  Verdict verdict(Rate rate_of) {
    looks_.clear();
    for (;;) {
      const Verdict now = verify(learnt_, looks_, {}, {});
      if (now.is != Verdict::Is::open) return now;
      Observation seen;
      seen.configuration = now.look_at;
      seen.kind = Observation::Kind::look;
      seen.frame_s = 1 / rate_of(now.look_at);
      seen.lasted_s = 0.25;
      seen.frames = std::max(1, static_cast<int>(0.25 / seen.frame_s));
      looks_.push_back(seen);
      if (looks_.size() > 10) return now;
    }
  }
  Verdict verdict_of(const Measurements& truth) {
    return verdict([&](const Configuration& c) { return predict(truth, c).throughput_fps; });
  }

  Learnt learnt_;
  std::vector<Observation> looks_;
};

Measurements times(double cores, double device) {
  Measurements m = both_sides();
  for (Cost& cost : m.cg) cost.seconds *= cores;
  for (StageMeasurements& stage : m.stages) {
    stage.cg.seconds *= cores;
    stage.mg.seconds *= cores;
    stage.device.seconds *= device;
  }
  return m;
}

double part_of_best(const Measurements& truth, const Verdict& verdict) {
  return predict(truth, verdict.best.configuration).throughput_fps /
         choose(truth, {}).best().prediction.throughput_fps;
}

TEST_F(VerifyTest, WhatDoesAsExpectedHoldsAfterFewLooks) {
  const Verdict now = verdict_of(both_sides());
  EXPECT_EQ(now.is, Verdict::Is::holds);
  EXPECT_EQ(now.best.configuration, learnt_.chosen.configuration);
  EXPECT_EQ(looks_.front().configuration, learnt_.chosen.configuration);
  EXPECT_LE(looks_.size(), 3U);
}

TEST_F(VerifyTest, AnErrorThatAllShareChangesNoChoice) {
  learnt_.pixels_off = 1;
  for (const double slower : {1.3, 0.75}) {
    const Verdict now = verdict_of(times(slower, slower));
    EXPECT_EQ(now.is, Verdict::Is::holds) << slower;
    EXPECT_GE(part_of_best(times(slower, slower), now), 0.97) << slower;
  }
}

TEST_F(VerifyTest, OfFramesThatAreNothingLikeThemATrainingIsDue) {
  for (const double slower : {4.0, 0.25})
    EXPECT_EQ(verdict_of(times(slower, slower)).is, Verdict::Is::stale) << slower;
}

// Cores are taken by something else, or the device was taken for slow.
TEST_F(VerifyTest, LooksFindTheSideThatErrs) {
  for (const auto& [cores, device] : {std::pair{8.0, 1.0}, {2.0, 1.0}, {1.0, 3.0}, {1.0, 0.4}}) {
    const Measurements truth = times(cores, device);
    for (const auto origin : {Learnt::Origin::other_sizes, Learnt::Origin::slower}) {
      learnt_.origin = origin;
      learnt_.pixels_off = origin == Learnt::Origin::slower ? 0 : 1;
      const Verdict now = verdict_of(truth);
      EXPECT_TRUE(now.is == Verdict::Is::stale || part_of_best(truth, now) > 0.9)
          << cores << " " << device << ": " << to_string(now.best.configuration);
      EXPECT_LE(looks_.size(), 4U);
    }
  }
}

// A trial at another size tells of the configurations that it is like.
TEST_F(VerifyTest, WhatFellShortAtAnotherSizeIsNotLookedAtFirst) {
  const Prediction expected = learnt_.chosen.prediction;
  learnt_.findings.trials = {{learnt_.chosen.configuration, expected, at_ratio(expected, 0.1)}};
  EXPECT_NE(choose_derived(learnt_, {}, {}).best().configuration, learnt_.chosen.configuration);
}

}  // namespace
}  // namespace tandem
