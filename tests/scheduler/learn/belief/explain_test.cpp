// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "scheduler/learn/belief/next_trial.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

NextTrial trial_of(const Configuration& configuration) {
  return {.configuration = configuration,
          .expected = std::log(1.03),
          .uncertain = 0.05,
          .gain_s = 0.214,
          .costs_s = 0.05};
}

TEST(ExplainTest, ATrialSaysWhatIsExpectedHowSurelyAndWhatItGainsAndCosts) {
  NextTrial trial = trial_of(on_device(3));
  EXPECT_EQ(explain(trial),
            "expected 3.0% better than the best so far, uncertain by 5.0%; gains 0.21 s of frames, "
            "costs 0.05 s");
  trial.expected = std::log(0.9);
  EXPECT_EQ(explain(trial).substr(0, 44), "expected 10.0% worse than the best so far, u");
  trial.expected = 1e-5;
  EXPECT_EQ(explain(trial).substr(0, 43), "expected as good as the best so far, uncert");
}

TEST(ExplainTest, ATrialNamesWhatMovedItsExpectation) {
  NextTrial trial = trial_of(on_device(3));
  trial.moved = std::log(0.93);
  trial.moved_by = on_device(2);
  const std::string text = explain(trial);
  EXPECT_TRUE(text.ends_with("costs 0.05 s; 7.0% worse than predicted, since gg/cg2 ran")) << text;
  trial.moved = 1e-3;
  EXPECT_TRUE(explain(trial).ends_with("costs 0.05 s")) << "too little to be a reason";
  trial.moved = 0.02;
  trial.moved_by = {};
  EXPECT_TRUE(explain(trial).ends_with("costs 0.05 s")) << "nothing ran";
}

TEST(ExplainTest, TheLastLookIsDue) {
  NextTrial trial{.configuration = on_device(3), .kind = Kind::look, .best = true};
  trial.uncertain = 0.011;
  trial.moved = 0.02;
  trial.moved_by = trial.configuration;
  EXPECT_EQ(explain(trial),
            "the best so far, uncertain by 1.1%; the choice needs a look; 2.0% better than "
            "predicted, since it ran");
}

TEST(ExplainTest, WithoutABestNothingIsCompared) {
  EXPECT_EQ(explain(NextTrial{on_device(3)}), "no configuration ran yet");
}

TEST(ExplainTest, ASentenceBeginsWithWhatRuns) {
  Plan plan{.configuration = on_device(3), .kind = Kind::glance, .why = "so"};
  EXPECT_EQ(explain(plan), "trial of gg/cg3: so");
  plan.rest = true;
  EXPECT_EQ(explain(plan), "rest with gg/cg3: so");
  plan = {.configuration = on_device(3), .kind = Kind::look, .why = "so"};
  EXPECT_EQ(explain(plan), "look at gg/cg3: so");
}

// A trial in which the device falls short is why others are expected to.
TEST(ExplainTest, TheObservationThatMovedATrialIsTheOneThatFellShort) {
  Facts facts = measured(two_stages());
  Observation slow = carried_out({on_device(3), Kind::look});
  slow.frame_s *= 1.2;
  facts.observations.push_back(slow);
  const Findings findings = interpret(facts.observations, facts.chain);
  const Belief belief(facts, findings, {}, {});
  for (const Option& option : belief.options()) {
    if (option.configuration != on_device(3)) continue;
    EXPECT_LT(option.mean, option.model);
    EXPECT_EQ(option.moved_by, on_device(3));
    return;
  }
  FAIL() << "it ran";
}

}  // namespace
}  // namespace tandem
