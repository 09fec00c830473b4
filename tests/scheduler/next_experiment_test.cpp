// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_experiment.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/scheduler/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

const AnalyticPredictor kPredictor;

Next next(const Facts& facts, const Allowed& allowed = {},
          const Predictor& predictor = kPredictor) {
  return next_experiment(facts, interpret(facts.observations, facts.chain, predictor), {}, allowed,
                         predictor);
}

std::vector<std::string> names(const Facts& facts) {
  std::vector<std::string> names;
  for (const Observation& seen : facts.observations) {
    names.push_back(to_string(seen.configuration));
    if (seen.kind == Kind::stages) names.back() += " apart";
  }
  return names;
}

TEST(NextExperimentTest, TheModelIsMeasuredFirst) {
  const std::vector<std::string> expected{"cc/cg1",       "cc/cg2", "cc/cg3",
                                          "gg/cg1 apart", "gg/cg1", "cc/mg"};
  EXPECT_EQ(names(measured(two_stages(), kPredictor)), expected);
  const std::vector<std::string> without{"cc/cg1", "cc/cg2", "cc/cg3", "cc/mg"};
  EXPECT_EQ(names(measured(two_stages(0), kPredictor)), without);
}

TEST(NextExperimentTest, LanesAreDoubledAsLongAsItGains) {
  Chain chain = two_stages();
  chain.lanes = {2, 4, 8};
  Facts facts{chain, {}};
  int most = 1;
  for (;;) {
    const Next wanted = next(facts);
    if (wanted.plan->kind == Kind::glance) break;
    Observation made = carried_out(*wanted.plan);
    const int lanes = wanted.plan->configuration.lanes;
    if (lanes == 2) made.frame_s /= 1.8;
    if (lanes >= 4) made.frame_s /= 1.85;
    most = std::max(most, lanes);
    facts.observations.push_back(made);
  }
  EXPECT_EQ(most, 4) << "with four it gains 3%";
}

TEST(NextExperimentTest, ADeviceThatTakesNoFrameIsNotTried) {
  const Chain chain = two_stages();
  Facts facts{chain, {}};
  for (int i = 0; i < 30; ++i) {
    const Next wanted = next(facts);
    if (!wanted.plan) break;
    const bool device = wanted.plan->configuration.mapping.any_device();
    EXPECT_FALSE(device && wanted.plan->kind == Kind::glance) << i;
    Observation made = carried_out(*wanted.plan);
    made.in_vain = device;
    if (device) made.stages.clear();
    facts.observations.push_back(made);
  }
  EXPECT_FALSE(next(facts).plan);
  EXPECT_FALSE(next(facts).choice.best().configuration.mapping.any_device());
}

TEST(NextExperimentTest, WhatLooksBestIsGlancedAtAndThenNearEqualsInTurn) {
  Facts facts = measured(two_stages(), kPredictor);
  const Next first = next(facts);
  ASSERT_TRUE(first.plan);
  EXPECT_EQ(first.plan->kind, Kind::glance);
  const Choice expected =
      kPredictor.choose(interpret(facts.observations, facts.chain, kPredictor).measurements, {}, {},
                        {}, Which::unmeasured);
  EXPECT_EQ(to_string(first.plan->configuration), to_string(expected.best().configuration));
  EXPECT_GT(first.plan->fill_s, 0);
  int glances = 0, looks = 0;
  for (Next wanted = first; wanted.plan; wanted = next(facts)) {
    ASSERT_LT(facts.observations.size(), 100U);
    const bool look = wanted.plan->kind == Kind::look;
    (look ? looks : glances) += 1;
    // All that has the device does the same.
    facts.observations.push_back(carried_out(*wanted.plan));
  }
  EXPECT_GT(glances, 0);
  EXPECT_GT(looks, 0);
  EXPECT_EQ(next(facts).choice.count > 0, true);
}

TEST(NextExperimentTest, NothingIsTriedThatIsNotAllowed) {
  Allowed allowed;
  allowed.mapping = Mapping{1, 2};
  Facts facts = measured(two_stages(), kPredictor);
  for (Next wanted = next(facts, allowed); wanted.plan; wanted = next(facts, allowed)) {
    ASSERT_LT(facts.observations.size(), 100U);
    EXPECT_EQ(to_string(wanted.plan->configuration.mapping), "gc");
    facts.observations.push_back(carried_out(*wanted.plan));
  }
  EXPECT_EQ(to_string(next(facts, allowed).choice.best().configuration.mapping), "gc");
}

TEST(NextExperimentTest, AStarvedSourceTellsNothingAboutRates) {
  Facts facts = measured(two_stages(), kPredictor);
  for (Observation& seen : facts.observations) seen.starved_frames = seen.frames;
  EXPECT_FALSE(next(facts).plan);
  EXPECT_GT(next(facts).choice.count, 0);
}

// A predictor with a favourite, which comes first whatever was measured.
class Fond : public AnalyticPredictor {
 public:
  Choice choose(const Measurements& measurements, const Objective& objective,
                const Allowed& allowed, std::span<const Trial> trials, Which which) const override {
    Choice choice = AnalyticPredictor::choose(measurements, objective, allowed, trials, which);
    if (which != Which::unmeasured) return choice;
    choice.ranked[0] = {{{2, 2}, Granularity::medium, 3}, {1e6, kUnknown, kUnknown, kUnknown}};
    return choice;
  }
};

TEST(NextExperimentTest, AnotherPredictorIsAsked) {
  const Facts facts = measured(two_stages(), Fond());
  EXPECT_EQ(to_string(next(facts, {}, Fond()).plan->configuration), "cg/mg");
}

}  // namespace
}  // namespace tandem
