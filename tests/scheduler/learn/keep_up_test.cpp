// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/keep_up.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using Kind = Observation::Kind;

const Configuration kDevice{{1, 1}, Granularity::coarse, 1, 8};

/// After a device that did 5600 frames/s, a core beside it is next.
Plan kept_up(double medium_s, const Objective& objective = {}) {
  Facts facts;
  Observation device;
  device.configuration = kDevice;
  device.kind = Kind::experiment;
  device.frame_s = 1 / 5600.0;
  facts.observations = {device};
  Findings findings;
  findings.measurements.cores = 16;
  findings.measurements.stages = {{.mg = {medium_s, {}}, .has_device = true}};
  findings.measurements.cg.resize(17);
  Configuration both = kDevice;
  ++both.threads;
  return keep_up({both, Kind::beside}, facts, findings, objective);
}

TEST(KeepUpTest, SaysWhatIsTooSlowAndHowLongACoreTakes) {
  const Plan plan = kept_up(6e-3);
  EXPECT_EQ(plan.kind, Kind::beside);
  EXPECT_NEAR(plan.slow_fps, kTooSlow * 5600, 1);
  EXPECT_NEAR(plan.core_s, 16 * 6e-3, 1e-9);
  EXPECT_EQ(kept_up(kUnknown).core_s, 0) << "medium grain was not measured";
}

TEST(KeepUpTest, WhatDrawsLeastMayBeSlow) {
  EXPECT_EQ(kept_up(6e-3, {Metric::efficiency}).slow_fps, 0);
}

}  // namespace
}  // namespace tandem
