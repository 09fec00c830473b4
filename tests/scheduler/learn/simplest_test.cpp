// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/simplest.h"

#include <gtest/gtest.h>

#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

const AnalyticPredictor kPredictor;

Observation look(const Configuration& configuration, double fps) {
  Observation seen = carried_out({configuration, Kind::look});
  seen.frame_s = 1 / fps;
  seen.frames = static_cast<int>(0.25 * fps);
  seen.watts.g = 400;
  return seen;
}

/// What is chosen on so many cores after the experiments and these looks.
Configuration chosen(int cores, const std::vector<Observation>& looks,
                     const Objective& objective = {}) {
  Chain chain = two_stages();
  chain.cores = cores;
  chain.domains.g = Domain::dominant;
  Facts facts = measured(chain, kPredictor);
  facts.observations.insert(facts.observations.end(), looks.begin(), looks.end());
  const Findings found = interpret(facts.observations, facts.chain, kPredictor);
  Choice choice = ranked(found.trials);
  choice.objective = objective;
  put_simplest_first(choice, facts, found);
  return choice.best().configuration;
}

TEST(SimplestTest, FewerLanesAreChosenAsLongAsLooksDoNotTellWhoIsBetter) {
  const Configuration two = on_device(1, 2), four = on_device(1, 4);
  EXPECT_EQ(chosen(2, {look(two, 1000), look(four, 1003)}), two);
  EXPECT_EQ(chosen(2, {look(two, 1000), look(four, 1008)}), four);
  EXPECT_EQ(chosen(2, {look(two, 1000), look(four, 1030)}), four);
}

TEST(SimplestTest, ManyLooksTellSmallDifferences) {
  const Configuration two = on_device(1, 2), four = on_device(1, 4);
  std::vector<Observation> looks;
  for (int i = 0; i < 6; ++i) {
    looks.push_back(look(two, 1000));
    looks.push_back(look(four, 1008));
  }
  EXPECT_EQ(chosen(2, looks), four);
}

TEST(SimplestTest, CoresThatAddLittleAreARisk) {
  // Medium grain reaches 100 frames/s.
  const Configuration alone = on_device(1, 4), beside = on_device(5, 4);
  EXPECT_EQ(chosen(16, {look(alone, 5000), look(beside, 5200)}), alone);
  EXPECT_EQ(chosen(16, {look(alone, 5000), look(beside, 5400)}), beside);
  EXPECT_EQ(chosen(16, {look(alone, 500), look(beside, 520)}), beside) << "a fifth is not little";
  const Objective efficient{Metric::efficiency};
  EXPECT_EQ(chosen(16, {look(alone, 5000), look(beside, 5200)}, efficient), alone);
  EXPECT_EQ(chosen(16, {look(alone, 5000), look(beside, 5400)}, efficient), beside);
  EXPECT_EQ(chosen(4, {look(alone, 5000), look(beside, 5200)}), beside) << "few cores are no risk";
}

TEST(SimplestTest, CoresThatEachComputeAFrameMayReachMoreThanUnderMediumGrain) {
  Measurements m;
  m.stages.resize(1);
  m.stages[0].mg.seconds = 0.6e-3;
  m.cg = {{0.7e-3, {}}, {0.05e-3, {}}};
  m.cg_interpolated = {false, true};
  EXPECT_TRUE(cores_are_in_the_way(m, 24000)) << "nobody saw what more cores do";
  m.cg_interpolated = {false, false};
  EXPECT_FALSE(cores_are_in_the_way(m, 24000));
}

TEST(SimplestTest, OneDriverMoreIsARiskToo) {
  const Configuration alone = on_device(1, 4);
  const Configuration medium{{3, 2}, Granularity::medium, 17, 4};
  for (const Configuration& driver : {on_device(2, 4), medium}) {
    EXPECT_EQ(chosen(16, {look(alone, 5000), look(driver, 5200)}), alone);
    EXPECT_EQ(chosen(16, {look(alone, 5000), look(driver, 5400)}), driver);
  }
}

}  // namespace
}  // namespace tandem
