// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/interpret.h"

#include <gtest/gtest.h>

#include <cmath>

#include "scheduler/learn/meaning/keep_up.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

Findings meaning(const Facts& facts) { return interpret(facts.observations, facts.chain); }

TEST(InterpretTest, ExperimentsBecomeTheModelsMeasurements) {
  Chain chain = two_stages();
  chain.window = 12;
  chain.serial_stages = 2;
  const Measurements m = meaning(measured(chain)).measurements;
  EXPECT_EQ(m.cores, 2);
  EXPECT_EQ(m.window, 12);
  EXPECT_FALSE(m.stages[0].serial);
  EXPECT_TRUE(m.stages[1].serial);
  EXPECT_DOUBLE_EQ(m.cg[0].seconds, 10e-3);
  EXPECT_DOUBLE_EQ(m.cg[1].seconds, 5e-3) << "two cores are thought to do as each of them";
  EXPECT_DOUBLE_EQ(m.stages[0].cg.seconds, 5e-3);
  EXPECT_DOUBLE_EQ(m.stages[1].device.seconds, 2e-3);
  EXPECT_DOUBLE_EQ(m.stages[1].mg.seconds, 5e-3);
}

TEST(InterpretTest, ALostDeviceLeavesOutWhatWasMeasuredWithIt) {
  Facts facts = measured(two_stages());
  facts.observations.push_back(carried_out({on_device(2), Kind::glance}));
  facts.observations.push_back(carried_out({on_cores(2), Kind::look}));
  EXPECT_EQ(meaning(facts).trials.size(), 3U) << "with the device alone, beside it, and two";
  facts.chain.device_capable = 0;
  const Findings without = meaning(facts);
  ASSERT_EQ(without.trials.size(), 1U);
  EXPECT_EQ(to_string(without.trials[0].configuration), "cc/cg2");
  EXPECT_FALSE(without.measurements.stages[0].has_device);
  EXPECT_DOUBLE_EQ(without.measurements.cg[1].seconds, 5e-3);
  facts.chain.device_capable = 3;
  EXPECT_EQ(meaning(facts).trials.size(), 3U) << "facts stay";
}

TEST(InterpretTest, LooksMakeAMeanAndTakeThePlaceOfAGlance) {
  Facts facts = measured(two_stages());
  for (const auto& [kind, frame_s, frames] : {std::tuple{Kind::glance, 1e-3, 100},
                                              {Kind::look, 4e-3, 50},
                                              {Kind::look, 5e-3, 40},
                                              {Kind::look, 4.5e-3, 40}}) {
    Observation seen = carried_out({on_device(2), kind});
    seen.frame_s = frame_s;
    seen.frames = frames;
    seen.lasted_s = 0.25;
    facts.observations.push_back(seen);
  }
  const Findings found = meaning(facts);
  ASSERT_EQ(found.trials.size(), 2U);
  const Trial& trial = found.trials[1];
  EXPECT_EQ(trial.looks.size(), 3U);
  EXPECT_NEAR(trial.measured.throughput_fps, (250 + 200 + 1 / 4.5e-3) / 3, 1e-6);
  EXPECT_NEAR(trial.predicted.throughput_fps,
              predict(found.measurements, on_device(2)).throughput_fps, 1e-9);
}

TEST(InterpretTest, ARestOfFewFramesTellsNothingOfWhatRanBefore) {
  Facts facts = measured(two_stages());
  const auto fps = [&](const Configuration& configuration) {
    return find_trial(meaning(facts).trials, configuration)->measured.throughput_fps;
  };
  for (const Configuration& configuration : {on_device(1), on_device(2)}) {
    Observation seen = carried_out({configuration, Kind::glance});
    seen.frames = 60;
    facts.observations.push_back(seen);
    seen.frame_s = 2e-3;
    seen.frames = 7;
    facts.observations.push_back(seen);
    EXPECT_DOUBLE_EQ(fps(configuration), 250) << "7 frames left in a burst";
    EXPECT_DOUBLE_EQ(brought_fps(facts.observations), 350) << "with a core beside the device";
    facts.observations.back().frames = 16;
    EXPECT_DOUBLE_EQ(fps(configuration), 500);
    facts.observations.pop_back();
  }
}

TEST(InterpretTest, TheDeviceAloneIsATrialAndManyFramesOfItALook) {
  Facts facts = measured(two_stages());
  const auto trial = [&] { return *find_trial(meaning(facts).trials, on_device(1)); };
  EXPECT_DOUBLE_EQ(trial().measured.throughput_fps, 250);
  EXPECT_TRUE(trial().looks.empty());
  for (Observation& seen : facts.observations) seen.frames = 1000;
  EXPECT_EQ(trial().looks.size(), 1U);
  facts.observations.push_back(carried_out({on_device(1), Kind::glance}));
  EXPECT_EQ(trial().looks.size(), 1U) << "a glance at few frames tells less";
  facts.observations.back().frames = 1000;
  EXPECT_EQ(trial().looks.size(), 2U) << "one at many is as good as a look";
  facts.observations.pop_back();
  for (Observation& seen : facts.observations)
    seen.in_vain = seen.configuration.mapping.any_device();
  EXPECT_TRUE(meaning(facts).trials.empty()) << "the device took no frame";
}

TEST(InterpretTest, CoresBesideTheDeviceTellTheirOwnTimesAndWhatBothReach) {
  Facts facts = measured(two_stages());
  const Findings found = meaning(facts);
  EXPECT_EQ(facts.observations.back().kind, Kind::beside);
  EXPECT_EQ(to_string(found.trials.back().configuration), "gg/cg2");
  EXPECT_DOUBLE_EQ(found.trials.back().measured.throughput_fps, 350);
  EXPECT_TRUE(found.measurements.cg_interpolated[0]) << "they were not alone";
  facts.observations.back().watts = {30, 200, 5};
  for (Observation& seen : facts.observations)
    if (seen.configuration.granularity == Granularity::medium) seen.watts = {60, 20, 6};
  const Energy joules = meaning(facts).measurements.cg[0].joules;
  EXPECT_NEAR(joules.c, 0.3, 1e-9);
  EXPECT_NEAR(joules.g, 0.2, 1e-9) << "of a device that has nothing to do";
  facts.observations.back().in_vain = true;
  EXPECT_FALSE(known(meaning(facts).measurements.cg[0].seconds));
}

TEST(InterpretTest, WhatTheDeviceDoesBesideCoresTellsHowMuchTheyHinderIt) {
  Chain chain = two_stages();
  chain.cores = 8;
  Facts facts{chain, {}};
  for (const Kind kind : {Kind::stages, Kind::experiment})
    facts.observations.push_back(carried_out({on_device(1), kind}));
  const auto beside = [&](int cores, double device_frame_s) {
    Observation seen = carried_out({on_device(1 + cores), Kind::beside});
    seen.device_frame_s = device_frame_s;
    seen.frame_s = 1 / (1 / device_frame_s + cores / 10e-3);
    seen.frames = 1000;
    return seen;
  };
  facts.observations.push_back(beside(1, 4.1e-3));
  facts.observations.push_back(beside(5, 8e-3));
  const std::vector<double> crowding = meaning(facts).measurements.crowding;
  ASSERT_EQ(crowding.size(), 6U);
  EXPECT_EQ(crowding[0], 1);
  EXPECT_EQ(crowding[1], 1) << "that is noise";
  EXPECT_NEAR(crowding[3], 1.5, 1e-3);
  EXPECT_NEAR(crowding[5], 2, 1e-3);
  const Findings found = meaning(facts);
  EXPECT_NEAR(found.trials.back().predicted.throughput_fps,
              found.trials.back().measured.throughput_fps, 1);
  for (Observation& seen : facts.observations) seen.frames = 3;
  EXPECT_EQ(meaning(facts).measurements.crowding[5], 1) << "a frame more would say otherwise";
  facts.observations.back() = beside(5, kUnknown);  // of a file that says nothing of it
  EXPECT_LE(meaning(facts).measurements.crowding.size(), 2U);
}

TEST(InterpretTest, WhatADeviceThatWaitsLeavesOutIsEstimated) {
  Chain chain = two_stages(1);
  chain.cores = 8;
  chain.lanes = {2};
  Observation apart = carried_out({{{1, 2}, Granularity::coarse, 9}, Kind::stages});
  apart.stages = {{2e-3, 0, 1e-3}, {30e-3, 0, 0}};
  Observation medium = carried_out({{{0, 2}, Granularity::medium, 9}, Kind::experiment});
  medium.stages = {{8e-3, 0, 0}, {5e-3, 0, 0}};
  const Measurements m = meaning({chain, {apart, medium}}).measurements;
  EXPECT_DOUBLE_EQ(m.stages[0].cg.seconds, 48e-3) << "six times what all cores need, as the other";
  EXPECT_DOUBLE_EQ(m.cg[0].seconds, 78e-3);
  EXPECT_DOUBLE_EQ(m.cg[7].seconds, 78e-3 / 8);
  EXPECT_TRUE(m.cg_interpolated[0]) << "nobody measured it";
  EXPECT_EQ(m.lane_factors[1].seconds, 1) << "copies overlap all the same";
  EXPECT_GT(predict(m, {{1, 2}, Granularity::coarse, 9}).throughput_fps, 8 / 78e-3);
}

TEST(InterpretTest, MediumGrainTellsOfACoreWhereNoneComputedFrames) {
  Facts facts{two_stages(), {}};
  facts.chain.cores = 16;
  Observation medium = carried_out({{{0, 2}, Granularity::medium, 17}});
  medium.stages = {{4e-3, 0, 0}, {1e-3, 0, 0}};
  const auto with_cpu_s = [&](double cpu_s) {
    medium.cpu_s = cpu_s;
    facts.observations = {medium};
    return meaning(facts).measurements;
  };
  const Measurements m = with_cpu_s(60e-3);
  EXPECT_DOUBLE_EQ(m.cg[0].seconds, 60e-3);
  EXPECT_DOUBLE_EQ(m.cg[15].seconds, 60e-3 / 16);
  EXPECT_DOUBLE_EQ(m.stages[0].cg.seconds, 48e-3);
  EXPECT_TRUE(m.cg_interpolated[0]);
  EXPECT_DOUBLE_EQ(with_cpu_s(1).cg[0].seconds, 80e-3) << "no more cores than there are";
  EXPECT_TRUE(std::isnan(with_cpu_s(40e-3).cg[0].seconds)) << "one is soon measured";
  medium.cpu_s = 60e-3;
  Observation beside = carried_out({on_device(2), Kind::beside});
  beside.in_vain = true;
  facts.observations = {medium, beside};
  EXPECT_TRUE(std::isnan(meaning(facts).measurements.cg[0].seconds)) << "no frame came to it";
}

TEST(InterpretTest, EnergyIsThatOfTheDomainsThatTheMeterCovers) {
  Chain chain = two_stages();
  chain.domains = {Domain::dominant, Domain::absent, Domain::dominant};
  Facts facts = measured(chain);
  Observation seen = carried_out({on_device(2), Kind::glance});
  seen.watts = {10, 100, 5};
  facts.observations.push_back(seen);
  EXPECT_NEAR(meaning(facts).trials[1].measured.energy_j, 15 * 4e-3, 1e-9);
  facts.observations.back().watts.u = kUnknown;
  EXPECT_FALSE(known(meaning(facts).trials[1].measured.energy_j));
}

TEST(InterpretTest, LanesAreFactorsOfOneLane) {
  Chain chain = two_stages();
  chain.lanes = {2};
  Facts facts = measured(chain);
  for (Observation& seen : facts.observations)
    if (seen.configuration.lanes == 2) seen.frame_s = 3e-3;
  EXPECT_DOUBLE_EQ(meaning(facts).measurements.lane_factors[1].seconds, 0.75);
}

TEST(InterpretTest, LongStagesOneByOneAreAWholeFrame) {
  Observation apart = carried_out({on_device(1), Observation::Kind::stages});
  apart.frame_s = apart.cpu_s = 0.4;
  apart.stages = {{0.3, 0, 0}, {0.1, 0, 0}};
  const Measurements m = interpret({{apart}}, two_stages()).measurements;
  EXPECT_NEAR(predict(m, on_device(1)).throughput_fps, 1 / 0.4, 1e-9);
  EXPECT_DOUBLE_EQ(m.device_cores, 1);
  apart.frame_s = apart.cpu_s = 4e-3;
  EXPECT_EQ(interpret({{apart}}, two_stages()).measurements.device_cores, 0)
      << "short ones wait longer for each other than they take together";
}

TEST(InterpretTest, TheSourceStarvesWhenItDidMostExperiments) {
  Facts facts = measured(two_stages());
  const std::size_t half = facts.observations.size() / 2;
  for (std::size_t i = 0; i < half; ++i) facts.observations[i].starved_frames = 100;
  EXPECT_FALSE(meaning(facts).starved);
  facts.observations[half].starved_frames = 100;
  EXPECT_TRUE(meaning(facts).starved);
}

// The first frames make memory, and the source waits for some as well.
TEST(InterpretTest, FewFramesDoNotTellThatTheSourceStarves) {
  Facts facts = measured(two_stages());
  for (const Observation& one : facts.observations) {
    Facts alone{facts.chain, {one}};
    alone.observations[0].frames = alone.observations[0].starved_frames = 3;
    EXPECT_FALSE(meaning(alone).starved) << to_string(one.configuration);
  }
  facts.observations.resize(1);
  Observation& first = facts.observations[0];
  first.frames = first.starved_frames = 3;
  EXPECT_FALSE(meaning(facts).starved);
  first.frames = first.starved_frames = 5;
  EXPECT_TRUE(meaning(facts).starved);
  first.starved_frames = 0;
  Observation trial = first;
  trial.kind = Kind::glance;
  trial.starved_frames = 5;
  facts.observations.push_back(trial);
  EXPECT_FALSE(meaning(facts).starved);
  facts.observations.push_back(trial);
  EXPECT_TRUE(meaning(facts).starved) << "trials tell where experiments are that few";
}

// It brings frames nearly as fast as the fastest experiment takes them, which has most of them all.
TEST(InterpretTest, OneExperimentThatWaitsForTheSourceTellsNothingOfTheOthers) {
  Facts facts = measured(two_stages());
  facts.observations[0].frames = 10'000;
  facts.observations[0].starved_frames = 9000;
  EXPECT_FALSE(meaning(facts).starved);
}

}  // namespace
}  // namespace tandem
