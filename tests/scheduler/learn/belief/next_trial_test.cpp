// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/next_trial.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "scheduler/learn/belief/choice.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

std::optional<NextTrial> trial_after(const Facts& facts, const Objective& objective = {},
                                     const Constraints& allowed = {}) {
  const Findings findings = interpret(facts.observations, facts.chain);
  return next_trial(Belief(facts, findings, objective, allowed), facts, findings);
}

TEST(NextTrialTest, ATrialSaysWhatItIsExpectedToGainAndToCost) {
  const Facts facts = measured(two_stages());
  const auto trial = trial_after(facts);
  ASSERT_TRUE(trial);
  EXPECT_GT(trial->gain_s, trial->costs_s);
  EXPECT_GT(trial->costs_s, 0);
  EXPECT_GT(trial->uncertain, 0);
}

TEST(NextTrialTest, TrialsEndWhenWhatIsChosenWasLookedAt) {
  Facts facts = measured(two_stages());
  for (int i = 0; i < 40; ++i) {
    const auto trial = trial_after(facts);
    if (!trial) {
      EXPECT_GT(i, 0);
      const Findings findings = interpret(facts.observations, facts.chain);
      EXPECT_TRUE(Belief(facts, findings, {}, {}).confirmed());
      return;
    }
    Observation seen = carried_out({trial->configuration, trial->kind});
    seen.frames = trial->kind == Kind::look ? 60 : 50;
    facts.observations.push_back(seen);
  }
  FAIL() << "no end";
}

TEST(NextTrialTest, TheLongerATrainingHasLastedTheMoreATrialCosts) {
  Facts facts = measured(two_stages());
  const auto early = trial_after(facts);
  Observation seen = carried_out({on_cores(1), Kind::glance});
  seen.lasted_s = 1;
  facts.observations.push_back(seen);
  const auto late = trial_after(facts);
  ASSERT_TRUE(early && late);
  EXPECT_GT(late->costs_s, early->costs_s);
}

TEST(NextTrialTest, OnlyWhatIsAllowedIsTried) {
  const Facts facts = measured(two_stages());
  Constraints one;
  one.mapping = Mapping{1, 2};
  const auto trial = trial_after(facts, {}, one);
  ASSERT_TRUE(trial);
  EXPECT_EQ(to_string(trial->configuration.mapping), "gc");
}

TEST(NextTrialTest, TheExpectedLossFallsWithWhatIsKnown) {
  Facts facts = measured(two_stages());
  const auto loss = [&] {
    const Findings findings = interpret(facts.observations, facts.chain);
    const Belief belief(facts, findings, {}, {});
    return expected_loss(belief, *belief.best());
  };
  const double before = loss();
  EXPECT_GT(before, 0);
  for (int i = 0; i < 40; ++i) {
    const auto trial = trial_after(facts);
    if (!trial) break;
    Observation seen = carried_out({trial->configuration, trial->kind});
    seen.frames = 60;
    facts.observations.push_back(seen);
  }
  EXPECT_LT(loss(), before);
}

}  // namespace
}  // namespace tandem
