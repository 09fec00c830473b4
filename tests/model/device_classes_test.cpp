// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/predict/device_classes.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "model/objective.h"
#include "tests/model/example_chip.h"

namespace tandem {
namespace {

/// The example chip with a device h that takes 10, 5 and 8 ms for the stages.
Measurements two_kinds() {
  Measurements m = example_chip();
  m.further = {{.stages = {{true, 0.010}, {true, 0.005}, {true, 0.008}}}};
  return m;
}

Configuration configuration_of(const char* text) {
  Configuration configuration;
  EXPECT_EQ(parse_configuration(text, 3, 4, configuration), "");
  return configuration;
}

double fps(const Measurements& m, const char* text) {
  return predict(m, configuration_of(text)).throughput_fps;
}

TEST(Letters, WithoutCoresTheSlowerDeviceTellsTheRate) {
  EXPECT_NEAR(fps(two_kinds(), "ghh/cg2"), 1 / 0.013, 1e-6);
  EXPECT_NEAR(fps(two_kinds(), "hhh/cg1"), 1 / 0.023, 1e-6);
  EXPECT_NEAR(fps(two_kinds(), "gch/cg1"), 20 / 0.2, 1e-6) << "its thread computes stage 2, 10 ms";
}

// Two threads compute 40 whole frames/s. 77 frames/s take h, which leaves 0.6 of the work of those
// beyond: 0.6 (x - 76.9) = 40.
TEST(Letters, TheCoresComputeWhatTheSlowerDeviceLeaves) {
  EXPECT_NEAR(fps(two_kinds(), "ghh/cg4"), (40 + 0.6 / 0.013) / 0.6, 1e-6);
  EXPECT_NEAR(fps(two_kinds(), "hcc/cg4"), 50 / 0.6, 1e-6) << "h is fast enough";
  EXPECT_NEAR(fps(two_kinds(), "ghh/mg"), (50 + 0.7 / 0.013) / 0.7, 1e-6) << "by times on all";
}

TEST(Letters, ADeviceMadeOfTheCoresSlowsThemDown) {
  Measurements m = two_kinds();
  const double before = fps(m, "ghh/cg4");
  m.further[0].device_cores = 4;
  EXPECT_NEAR(fps(m, "ghh/cg4"), before / 1.5, 1e-6) << "six cores are wanted, four there";
}

TEST(Letters, EachRunPaysItsTransfers) {
  Measurements m = two_kinds();
  m.further[0].stages[1].upload_s = 0.003;
  m.stages[0].download.seconds = 0.001;
  EXPECT_NEAR(fps(m, "ghg/cg1"), 1 / 0.025, 1e-6) << "g: 4 + 1 + 20 ms";
}

TEST(Letters, WhatDoesNotWorkOrWasNotMeasuredIsUnknown) {
  EXPECT_FALSE(known(fps(example_chip(), "hhh/cg1")));
  EXPECT_FALSE(known(fps(two_kinds(), "ghi/cg1")));
  Measurements m = two_kinds();
  m.further[0].stages[1].works = false;
  EXPECT_FALSE(known(fps(m, "ghg/cg1")));
  EXPECT_TRUE(known(fps(m, "ggh/cg1")));
}

TEST(Letters, MappingsChangeSidesTwiceAtMost) {
  const Measurements m = two_kinds();
  std::multiset<std::string> seen;
  visit_device_classes(m, [&](const Mapping& mapping) { seen.insert(to_string(mapping)); });
  EXPECT_EQ(seen.size(), 27U - 8U) << "three stages: all that have h";
  EXPECT_EQ(seen.count("ghc"), 1U);
  EXPECT_EQ(seen.count("ggc"), 0U);
}

TEST(Letters, OnlyWhatWasTriedIsChosenAndWhereItIsClearlyBetter) {
  const Measurements m = two_kinds();
  const Objective objective{Metric::throughput};
  const Choice without = choose(m, objective);
  EXPECT_FALSE(without.best().configuration.mapping.any_further_letter());
  const double best_fps = without.best().prediction.throughput_fps;
  for (const double gain : {1.03, 1.2}) {
    Trial trial{configuration_of("ghh/cg4"), predict(m, configuration_of("ghh/cg4")), {}};
    trial.measured = trial.predicted;
    trial.measured.throughput_fps = gain * best_fps;
    const Choice with = choose(m, objective, {}, {&trial, 1});
    EXPECT_EQ(with.best().configuration.mapping.any_further_letter(), gain > 1.1) << gain;
  }
}

}  // namespace
}  // namespace tandem
