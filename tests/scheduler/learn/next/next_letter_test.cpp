// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include "scheduler/learn/meaning/letters.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

Chain two_kinds() {
  Chain chain = two_stages();
  chain.further.push_back({.capable = 3});
  return chain;
}

/// All that is measured before anything is tried, with a device h that takes so long for a stage.
class NextLetter : public testing::Test {
 protected:
  void measure(const Chain& chain, double stage_s, const Objective& objective = {},
               const Constraints& allowed = {}) {
    facts_ = {chain, {}};
    for (;;) {
      findings_ = interpret(facts_.observations, chain);
      next_ = next_experiment(facts_, findings_, objective, allowed);
      if (!next_.plan || is_trial(next_.plan->kind)) return;
      Observation seen = carried_out(*next_.plan);
      if (next_.plan->configuration.mapping.any_further_letter()) {
        ++letters_;
        seen.frame_s = 2 * stage_s;
        seen.stages.assign(2, {stage_s, 0, 0});
      }
      facts_.observations.push_back(seen);
    }
  }
  /// Carries out trials; those with further letters do what was expected, times `reached`.
  Choice try_all(const Chain& chain, double reached) {
    for (int i = 0; i < 100; ++i) {
      findings_ = interpret(facts_.observations, chain);
      next_ = next_experiment(facts_, findings_, {}, {});
      if (!next_.plan) return next_.choice;
      const Configuration& tried = next_.plan->configuration;
      const bool letters = tried.mapping.any_further_letter();
      if (letters && next_.plan->kind == Observation::Kind::glance) ++tried_;
      Observation seen = carried_out(*next_.plan);
      const double fps = predict(findings_.measurements, tried).throughput_fps;
      seen.frame_s = 1 / ((letters ? reached : 1) * fps);
      facts_.observations.push_back(seen);
    }
    ADD_FAILURE() << "it does not end";
    return {};
  }

  Facts facts_;
  Findings findings_;
  Next next_;
  int letters_ = 0, tried_ = 0;
};

TEST_F(NextLetter, IsOneExperimentWithAllItsStages) {
  measure(two_kinds(), 1e-3);
  EXPECT_EQ(letters_, 1);
  const Observation& seen = *std::ranges::find_if(facts_.observations, [](const auto& each) {
    return each.configuration.mapping.any_further_letter();
  });
  EXPECT_EQ(to_string(seen.configuration), "hh/cg1");
  EXPECT_EQ(seen.kind, Observation::Kind::stages);
  ASSERT_EQ(findings_.measurements.further.size(), 1U);
  EXPECT_DOUBLE_EQ(findings_.measurements.further[0].stages[1].seconds, 1e-3);
  EXPECT_DOUBLE_EQ(findings_.measurements.stages[0].device.seconds, 2e-3) << "that is g's";
}

TEST_F(NextLetter, IsLeftAloneWhereItCannotBeChosen) {
  measure(two_stages(), 1e-3);
  measure(two_kinds(), 1e-3, {Metric::latency});
  measure(two_kinds(), 1e-3, {Metric::efficiency});
  measure(two_kinds(), 1e-3, {}, {.mapping = Mapping{3, 2}});
  EXPECT_EQ(letters_, 0);
}

TEST_F(NextLetter, OneThatPromisesIsTriedAndChosen) {
  measure(two_kinds(), 1e-3);
  const Choice choice = try_all(two_kinds(), 1);
  EXPECT_TRUE(choice.best().configuration.mapping.any_further_letter())
      << to_string(choice.best().configuration);
  EXPECT_GE(tried_, 1);
  EXPECT_LE(tried_, 4);
}

TEST_F(NextLetter, OneThatFallsShortIsTriedOnce) {
  measure(two_kinds(), 1e-3);
  const Choice choice = try_all(two_kinds(), 0.1);
  EXPECT_FALSE(choice.best().configuration.mapping.any_further_letter());
  EXPECT_EQ(tried_, 1);
}

TEST_F(NextLetter, OneThatIsNoHelpIsNotTried) {
  measure(two_kinds(), 0.2);
  const Choice choice = try_all(two_kinds(), 1);
  EXPECT_FALSE(choice.best().configuration.mapping.any_further_letter());
  EXPECT_EQ(tried_, 0);
}

}  // namespace
}  // namespace tandem
