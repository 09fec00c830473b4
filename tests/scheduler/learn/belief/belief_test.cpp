// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/belief.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

/// Eight cores and a device, measured: see observations.h.
class BeliefTest : public testing::Test {
 protected:
  BeliefTest() {
    Chain chain = two_stages();
    chain.cores = 8;
    facts_ = measured(chain);
  }

  void see(const std::string& name, double ratio, Kind kind = Kind::look) {
    Observation seen = carried_out({configuration(name), kind});
    seen.frame_s =
        1 / (ratio * predict(findings().measurements, seen.configuration).throughput_fps);
    seen.frames = static_cast<int>(std::ceil(0.5 / seen.frame_s));
    facts_.observations.push_back(seen);
  }
  Findings findings() const { return interpret(facts_.observations, facts_.chain); }
  Belief belief() const { return {facts_, findings(), {}, {}}; }
  static Configuration configuration(const std::string& name) {
    Configuration configuration;
    EXPECT_EQ(parse_configuration(name, 2, 8, configuration), "") << name;
    return configuration;
  }
  static Option option(const Belief& belief, const std::string& name) {
    for (const Option& one : belief.options())
      if (to_string(one.configuration) == name) return one;
    ADD_FAILURE() << name << " is no option";
    return {};
  }
  static double error(const Belief& belief, const std::string& name) {
    const Option one = option(belief, name);
    return one.mean - one.model;
  }

  Facts facts_;
};

TEST_F(BeliefTest, WhatWasSeenIsBelievedAndTheLongerTheMore) {
  see("gc/cg5", 0.9, Kind::look);
  see("cg/cg5", 0.9, Kind::look);
  const Belief after = belief();
  EXPECT_NEAR(error(after, "gc/cg5"), std::log(0.9), 0.02);
  const Option seen = option(after, "gc/cg5"), other = option(after, "gc/mg");
  EXPECT_LT(seen.variance, 0.1 * other.variance);
  EXPECT_LT(after.noise(2, false), after.noise(0.1, false));
  EXPECT_LT(after.noise(0.5, false), after.noise(0.5, true));
}

TEST_F(BeliefTest, OthersErrTheMoreAlikeTheMoreTheyHaveInCommon) {
  see("gc/cg5", 0.9);
  const Belief after = belief();
  EXPECT_LT(error(after, "gc/cg5"), error(after, "gc/cg6"));
  EXPECT_LT(error(after, "gc/cg6"), error(after, "gc/cg2"));
  EXPECT_LT(error(after, "gc/cg2"), error(after, "cc/cg4"));
  EXPECT_LT(error(after, "gc/cg6"), error(after, "cg/cg6"));
}

// What busy cores take from the device is a process that begins where none is busy.
TEST_F(BeliefTest, AStarvedDriverSaysNothingOfFewThreadsAndMuchOfMore) {
  for (const char* name : {"gg/cg6", "gg/cg7"}) see(name, 0.5);
  const Belief after = belief();
  EXPECT_LT(error(after, "gg/cg8"), 0.5 * std::log(0.5)) << "more threads starve it as well";
  EXPECT_GT(error(after, "gg/cg1"), 0.05 * std::log(0.5));
  EXPECT_GT(option(after, "gg/cg9").variance, option(after, "gg/cg7").variance);
}

TEST_F(BeliefTest, AgreementMakesOthersCredible) {
  see("gc/cg4", 1);
  const double before = option(belief(), "cg/mg").variance;
  for (const char* name : {"gc/cg8", "gc/cg2", "cg/cg4", "cg/cg8", "gc/mg"}) see(name, 1);
  EXPECT_LT(option(belief(), "cg/mg").variance, 0.7 * before);
}

TEST_F(BeliefTest, WhatIsFarOffAllElseErrsByItself) {
  for (const char* name : {"gc/cg2", "gc/cg3", "gc/cg4", "cg/cg3", "cg/cg4"}) see(name, 1);
  see("gc/cg5", 0.5);
  const Belief after = belief();
  EXPECT_NEAR(error(after, "gc/cg5"), std::log(0.5), 0.05);
  EXPECT_GT(error(after, "gc/cg4"), -0.02);
  EXPECT_GT(option(after, "gc/cg5").surprise, 0);
}

TEST_F(BeliefTest, ALookTakesThePlaceOfAGlanceWhoseRhythmDidNotLast) {
  see("gc/cg5", 1.3, Kind::glance);
  facts_.observations.back().frames = 30;
  EXPECT_GT(error(belief(), "gc/cg5"), 0.2);
  see("gc/cg5", 1);
  EXPECT_NEAR(error(belief(), "gc/cg5"), 0, 0.02);
}

TEST_F(BeliefTest, OnlyWhatWasLookedAtIsConfirmed) {
  EXPECT_FALSE(belief().confirmed());
  see("gg/cg2", 3, Kind::glance);
  facts_.observations.back().frames = 30;
  const Belief glanced = belief();
  EXPECT_EQ(to_string(glanced.best()->configuration), "gg/cg2");
  EXPECT_FALSE(glanced.confirmed());
  see("gg/cg2", 3);
  facts_.observations.back().frames = 2;  // it was slow, and ended early
  const Belief looked = belief();
  ASSERT_TRUE(looked.confirmed());
  EXPECT_EQ(to_string(looked.confirmed()->configuration), "gg/cg2");
}

}  // namespace
}  // namespace tandem
