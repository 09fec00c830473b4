// SPDX-License-Identifier: LGPL-2.1-or-later
// The lanes of next_experiment().
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

const AnalyticPredictor kPredictor;

Next next(const Facts& facts) {
  return next_experiment(facts, interpret(facts.observations, facts.chain, kPredictor), {}, {},
                         kPredictor);
}

// As if a plan had been carried out on a device that takes `device_s` for a frame, beside cores
// that take `core_s` each. What has a stage on either side is far slower.
Observation carried_out_beside(const Plan& plan, const Chain& chain, double core_s,
                               double device_s) {
  Observation made = carried_out(plan);
  const Configuration& configuration = made.configuration;
  const bool device = configuration.mapping.device_stages() == 3;
  const bool medium = configuration.granularity == Granularity::medium;
  const int cores =
      medium ? chain.cores : std::min(configuration.threads, chain.cores) - (device ? 1 : 0);
  made.frames = 300;
  made.service_s = core_s;
  made.device_frame_s = device_s;
  made.frame_s = 1 / ((device ? 1 / device_s : 0) + cores / core_s);
  if (!device && configuration.mapping.any_device()) made.frame_s = core_s;
  const bool on_device = device && made.kind != Kind::beside;
  made.stages.assign(2, {(on_device ? device_s : core_s) / 2, 0, 0});
  if (medium) made.stages.assign(2, {core_s / chain.cores / 2, 0, 0});
  return made;
}

TEST(NextExperimentLanesTest, LanesAreDoubledAsLongAsItGains) {
  Chain chain = two_stages();
  chain.lanes = {2, 4, 8};
  Facts facts{chain, {}};
  int most = 1;
  for (;;) {
    const Next wanted = next(facts);
    if (!wanted.plan || is_trial(wanted.plan->kind)) break;
    Observation made = carried_out(*wanted.plan);
    const int lanes = wanted.plan->configuration.lanes;
    if (lanes == 2) made.frame_s /= 1.8;
    if (lanes >= 4) made.frame_s /= 1.85;
    most = std::max(most, lanes);
    facts.observations.push_back(made);
  }
  EXPECT_EQ(most, 4) << "with four it gains 3%";
}

// The first experiments find a device that wakes up, with which four lanes do less than two.
TEST(NextExperimentLanesTest, LanesThatWereMeasuredFirstAreLookedAtOnceMore) {
  Chain chain = two_stages();
  chain.lanes = {2, 4, 8};
  Facts facts{chain, {}};
  Next wanted = next(facts);
  for (; wanted.plan; wanted = next(facts)) {
    ASSERT_LT(facts.observations.size(), 100U);
    Observation made = carried_out(*wanted.plan);
    const Configuration& configuration = made.configuration;
    if (configuration.mapping.device_stages() == 3) {
      const double four_s = is_trial(made.kind) ? 0.4e-3 : 0.54e-3;
      made.frame_s = configuration.lanes == 1 ? 1e-3 : configuration.lanes == 4 ? four_s : 0.5e-3;
      made.device_frame_s = made.frame_s;
      for (Observation::StageTimes& stage : made.stages)
        if (made.kind != Kind::beside) stage.seconds = 0.5e-3;
      made.frames = 300;
    } else {
      made.frame_s = 10e-3;  // nothing else is near
    }
    facts.observations.push_back(made);
  }
  EXPECT_EQ(wanted.choice.best().configuration.lanes, 4);
}

// The second stage takes a core 10 ms. One thread more than there are cores is in the way of
// others, most of all of those that feed several lanes; as many as there are gain by lanes.
TEST(NextExperimentLanesTest, LanesAreTriedWhereTheyFellShortWithMoreThreads) {
  Chain chain = two_stages(1);
  chain.cores = 16;
  chain.lanes = {2, 4, 8};
  Facts facts{chain, {}};
  Next wanted = next(facts);
  for (; wanted.plan; wanted = next(facts)) {
    ASSERT_LT(facts.observations.size(), 100U);
    const Configuration& configuration = wanted.plan->configuration;
    const bool device = configuration.mapping.any_device(), lanes = configuration.lanes > 1;
    const bool medium = configuration.granularity == Granularity::medium;
    const int threads = medium ? 16 : std::min(configuration.threads, 16);
    const bool crowded = !medium && configuration.threads > 16;
    Observation made = carried_out(*wanted.plan);
    made.frame_s = (device ? 10e-3 : 20e-3) / threads;
    if (medium) made.frame_s *= 1.2;
    if (crowded) made.frame_s /= lanes ? 0.4 : 0.9;
    if (device && lanes && !crowded && !medium) made.frame_s /= 1.1;
    made.cores_s = 10e-3;
    const double side_s = medium ? 10e-3 / 16 : 10e-3;
    made.stages.assign(2, {side_s, 0, 0});
    if (device) made.stages[0].seconds = 0.2e-3;
    facts.observations.push_back(made);
  }
  EXPECT_GT(wanted.choice.best().configuration.lanes, 1)
      << to_string(wanted.choice.best().configuration);
}

// Two lanes are expected to be enough, and cores beside the device gain a little with them. Four
// lanes gain much more, which is found out beside cores first, which are in the way.
TEST(NextExperimentLanesTest, WhatLanesGainBesideCoresIsExpectedOfTheDeviceAlone) {
  Chain chain = two_stages();
  chain.cores = 16;
  chain.lanes = {2, 4, 8};
  LanePrior prior;
  for (const int lanes : {1, 2, 4, 8})
    prior.gains[static_cast<std::size_t>(lanes) - 1] = lanes == 1 ? 1 : 1.1;
  Facts facts{chain, {}, prior};
  const auto step = [&] {
    return next_experiment(facts, interpret(facts.observations, chain, kPredictor, prior), {}, {},
                           kPredictor);
  };
  Next wanted = step();
  for (; wanted.plan; wanted = step()) {
    ASSERT_LT(facts.observations.size(), 100U);
    const int lanes = wanted.plan->configuration.lanes;
    const double alone_s = lanes == 1 ? 1e-3 : lanes == 2 ? 0.5e-3 : 0.35e-3;
    const double device_s = wanted.plan->configuration.threads == 1 ? alone_s : 1.1 * alone_s;
    facts.observations.push_back(carried_out_beside(*wanted.plan, chain, 60e-3, device_s));
  }
  const Configuration& chosen = wanted.choice.best().configuration;
  EXPECT_GT(chosen.lanes, 2) << to_string(chosen);
  EXPECT_EQ(chosen.threads, 1) << to_string(chosen);
}

// A core takes 60 ms for a frame. What a second thread computes itself is nothing, but with four
// lanes and more of them the device does a tenth more with two threads.
TEST(NextExperimentLanesTest, ASecondDriverIsFoundWhereTheModelExpectsNothingOfIt) {
  Chain chain = two_stages();
  chain.cores = 16;
  chain.lanes = {2, 4};
  Facts facts{chain, {}};
  Next wanted = next(facts);
  for (; wanted.plan; wanted = next(facts)) {
    ASSERT_LT(facts.observations.size(), 100U);
    const int lanes = wanted.plan->configuration.lanes;
    const int threads = wanted.plan->configuration.threads;  // under medium grain all
    double device_s = lanes == 1 ? 1e-3 : lanes == 2 ? 0.5e-3 : 0.35e-3;
    if (threads == 2 && lanes == 4) device_s /= 1.1;
    if (threads > 2) device_s *= 1.2;
    facts.observations.push_back(carried_out_beside(*wanted.plan, chain, 60e-3, device_s));
  }
  EXPECT_EQ(wanted.choice.best().configuration, on_device(2, 4))
      << to_string(wanted.choice.best().configuration);
}

}  // namespace
}  // namespace tandem
