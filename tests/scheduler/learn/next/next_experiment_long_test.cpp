// SPDX-License-Identifier: LGPL-2.1-or-later
// What is found out next where frames are long.
#include <gtest/gtest.h>

#include "model/configuration.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

const AnalyticPredictor kPredictor;

Next next(const Facts& facts, const Constraints& allowed = {}) {
  return next_experiment(facts, interpret(facts.observations, facts.chain, kPredictor), {}, allowed,
                         kPredictor);
}

// All frames take so many times longer.
Facts slowed(Facts facts, double slower) {
  for (Observation& seen : facts.observations) {
    for (double* value : {&seen.frame_s, &seen.device_frame_s, &seen.service_s, &seen.latency_s})
      *value *= slower;
    for (Observation::StageTimes& stage : seen.stages) stage.seconds *= slower;
  }
  return facts;
}

TEST(NextExperimentLongTest, LongFramesThatHaveJustRunAreNotLookedAt) {
  Facts facts = measured(two_stages(), kPredictor);
  facts.observations.push_back(carried_out({on_cores(2)}));
  Constraints these;
  these.mapping = on_cores(2).mapping;
  these.granularity = Granularity::coarse;
  these.threads = 2;
  const Next look = next(facts, these);
  ASSERT_TRUE(look.plan);
  EXPECT_EQ(look.plan->kind, Kind::look);
  EXPECT_FALSE(next(slowed(facts, 50), these).plan) << "0.25 s from one to the next";
  facts.observations.push_back(carried_out({on_cores(1)}));
  EXPECT_TRUE(next(slowed(facts, 50), these).plan) << "something else ran since";
}

// The first trial of two stages, of which the last is the cores' alone and the device waits for it;
// all frames take so many times longer.
Configuration first_trial(double slower, const Constraints& allowed = {}) {
  Chain chain = two_stages(1);
  chain.cores = 16;
  chain.lanes = {2, 4, 8};
  Facts made{chain, {}};
  for (int i = 0; i < 100; ++i) {
    const Next then = next(slowed(made, slower), allowed);
    if (!then.plan) break;
    if (is_trial(then.plan->kind)) return then.plan->configuration;
    Observation seen = carried_out(*then.plan);
    seen.cores_s = 5e-3;
    if (seen.configuration.mapping.any_device())
      seen.stages[0].seconds = 1e-5;
    else
      for (Observation::StageTimes& stage : seen.stages) stage.seconds = 5e-3 / 15;
    seen.latency_s = 10e-3 / 15;
    made.observations.push_back(seen);
  }
  ADD_FAILURE() << "nothing is tried";
  return {};
}

TEST(NextExperimentLongTest, OfLongFramesMediumGrainIsTriedFirst) {
  EXPECT_EQ(to_string(first_trial(400)), "gc/mg");
  EXPECT_NE(to_string(first_trial(1)), "gc/mg");
}

TEST(NextExperimentLongTest, LongFramesAreTriedWithAsFewLanesAsPromiseAsMuch) {
  Constraints coarse;
  coarse.granularity = Granularity::coarse;
  EXPECT_EQ(first_trial(400, coarse).lanes, 1) << to_string(first_trial(400, coarse));
  EXPECT_GT(first_trial(1, coarse).lanes, 1) << to_string(first_trial(1, coarse));
}

}  // namespace
}  // namespace tandem
