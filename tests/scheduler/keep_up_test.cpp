// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/keep_up.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using Kind = Observation::Kind;

const Configuration kDevice{{1, 1}, Granularity::coarse, 1, 8};

/// A device at 5600 frames/s that was measured, and then all cores under medium grain.
Facts facts_of(int window) {
  Facts facts;
  facts.chain.stages = 1;
  facts.chain.cores = 16;
  facts.chain.device_capable = 1;
  facts.chain.window = window;
  Observation device;
  device.configuration = kDevice;
  device.kind = Kind::experiment;
  device.frame_s = 1 / 5600.0;
  device.latency_s = 1.5e-3;
  device.frames = 840;
  device.lasted_s = 0.15;
  Observation medium = device;
  medium.configuration = {{0, 1}, Granularity::medium, 17};
  medium.frame_s = kUnknown;
  medium.frames = 9;
  medium.lasted_s = 0.05;
  facts.observations = {device, medium};
  return facts;
}

/// What becomes of a core beside the device of whose frame all cores take 6.5 ms together.
Plan kept_up(const Facts& facts, const Objective& objective) {
  Findings findings;
  findings.measurements.cores = facts.chain.cores;
  findings.measurements.stages = {{.mg = {6.5e-3, {}}, .has_device = true}};
  findings.measurements.cg.resize(static_cast<std::size_t>(facts.chain.cores) + 1);
  Configuration both = kDevice;
  ++both.threads;
  const Next next{Plan{both, Kind::beside}, {}};
  return *keep_up(next, facts, findings, objective).plan;
}

void look_back_at_the_best(Facts& facts) { facts.observations.push_back(facts.observations[0]); }

TEST(KeepUpTest, OfACoreThatHoldsUpTheDeviceOneFrameIsEnough) {
  Facts narrow = facts_of(64), wide = facts_of(512);
  for (Facts* facts : {&narrow, &wide}) {
    EXPECT_TRUE(kept_up(*facts, {}).rest) << "medium grain was slow";
    look_back_at_the_best(*facts);
  }
  const Plan plan = kept_up(narrow, {});
  EXPECT_EQ(plan.kind, Kind::beside);
  EXPECT_TRUE(plan.one_frame);
  EXPECT_NEAR(plan.slow_fps, kTooSlow * 5600, 1);
  EXPECT_FALSE(kept_up(wide, {}).one_frame) << "512 frames pass one of 104 ms";
  EXPECT_FALSE(kept_up(facts_of(0), {}).one_frame) << "no bound is known";
}

TEST(KeepUpTest, WhereEnergyMattersItEndsSoonWithItsJoules) {
  const Objective efficiency{Metric::efficiency};
  Facts facts = facts_of(64);
  EXPECT_TRUE(kept_up(facts, efficiency).rest);
  look_back_at_the_best(facts);
  EXPECT_FALSE(kept_up(facts, efficiency).one_frame) << "one frame tells no joules";
  EXPECT_GT(kept_up(facts, efficiency).slow_fps, 0);
  const Plan wide = kept_up(facts_of(512), efficiency);
  EXPECT_EQ(wide.kind, Kind::beside) << "what draws least may be slow";
  EXPECT_EQ(wide.slow_fps, 0);
}

}  // namespace
}  // namespace tandem
