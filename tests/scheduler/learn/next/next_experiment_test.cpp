// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/next_experiment.h"

#include <gtest/gtest.h>

#include <bit>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "scheduler/learn/meaning/keep_up.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

Next next(const Facts& facts, const Constraints& allowed = {}) {
  return next_experiment(facts, interpret(facts.observations, facts.chain), {}, allowed);
}

std::vector<std::string> names(const Facts& facts) {
  std::vector<std::string> names;
  for (const Observation& seen : facts.observations) {
    names.push_back(to_string(seen.configuration));
    if (seen.kind == Kind::stages) names.back() += " apart";
    if (seen.kind == Kind::beside) names.back() += " beside";
    if (is_trial(seen.kind)) names.back() += " rest";
  }
  return names;
}

Chain many_cores() {
  Chain chain = two_stages(0);
  chain.cores = 16;
  return chain;
}

// A frame takes a core 10 ms, and each thread more slows down all by so much.
Observation on_many_cores(const Plan& plan, double slowdown) {
  Observation made = carried_out(plan);
  const int n = plan.configuration.threads;
  made.frame_s = 10e-3 * (1 + slowdown * (n - 1)) / n;
  return made;
}

TEST(NextExperimentTest, OfManyThreadsFewAreMeasuredAndTheOthersLieBetween) {
  Facts facts{many_cores(), {}};
  const std::vector<std::string> expected{"cc/mg",  "cc/cg1",  "cc/mg rest",
                                          "cc/cg8", "cc/cg12", "cc/cg16"};
  while (facts.observations.size() < expected.size())
    facts.observations.push_back(on_many_cores(*next(facts).plan, 0.02));
  EXPECT_EQ(names(facts), expected);
  const Measurements m = interpret(facts.observations, facts.chain).measurements;
  for (const int n : {2, 5, 10, 15})
    EXPECT_NEAR(m.cg[n - 1].seconds, 10e-3 * (1 + 0.02 * (n - 1)) / n, 1e-9) << n;
}

TEST(NextExperimentTest, TheNumberOfThreadsThatIsFixedIsMeasuredAndMayBeChosen) {
  Constraints five;
  five.threads = 5;
  Facts facts{many_cores(), {}};
  for (Next wanted = next(facts, five); wanted.plan; wanted = next(facts, five)) {
    ASSERT_LT(facts.observations.size(), 50U);
    facts.observations.push_back(on_many_cores(*wanted.plan, 0.02));
  }
  EXPECT_EQ(names(facts)[3], "cc/cg5") << "after one thread, and a rest";
  const Choice choice = next(facts, five).choice;
  ASSERT_GT(choice.count, 0);
  EXPECT_EQ(to_string(choice.best().configuration), "cc/cg5");
}

TEST(NextExperimentTest, TheStreamRestsAtTheBestAfterWhatWasSlow) {
  Facts facts{many_cores(), {}};
  while (facts.observations.size() < 2)
    facts.observations.push_back(on_many_cores(*next(facts).plan, 0.02));
  const Next rest = next(facts);  // one thread of 16 cores was slow
  ASSERT_TRUE(rest.plan && rest.plan->rest);
  EXPECT_EQ(to_string(rest.plan->configuration), "cc/mg");
  EXPECT_EQ(rest.plan->kind, Kind::glance);
  EXPECT_FALSE(rest.plan->why.empty());
  const Findings findings = interpret(facts.observations, facts.chain);
  const Next soon = next_experiment(facts, findings, {Metric::latency}, {});
  ASSERT_TRUE(soon.plan);
  EXPECT_FALSE(soon.plan->rest) << "what answers soonest may be slow";
  // A rest that is as slow as all that is going on at the moment is not followed by another.
  facts.observations.push_back(on_many_cores(*rest.plan, 5));
  ASSERT_TRUE(next(facts).plan);
  EXPECT_EQ(to_string(next(facts).plan->configuration), "cc/cg8");
  EXPECT_GT(next(facts).plan->slow_fps, 0) << "it may end early";
}

// ViVid on two cores, and PoCL on the same: mappings with both sides come near what the cores do
// with one thread more than these, and do half of it with one.
TEST(NextExperimentTest, BesideADeviceMadeOfTheCoresNotAllNumbersOfThreadsAreTried) {
  Chain chain = two_stages(7);
  chain.stages = 3;
  Facts facts{chain, {}};
  for (Next wanted = next(facts); wanted.plan; wanted = next(facts)) {
    ASSERT_LT(facts.observations.size(), 50U);
    const Configuration& ran = wanted.plan->configuration;
    const bool device = ran.mapping.any_device(), both = device && !ran.mapping.decoupled();
    const bool coarse = ran.granularity == Granularity::coarse;
    EXPECT_FALSE(both && coarse && ran.threads == 1) << to_string(ran);
    const double fps_of_both[] = {135, 215, 243};
    const double fps = both     ? (coarse ? fps_of_both[ran.threads - 1] : 200)
                       : device ? 215
                       : coarse ? 130 * std::min(ran.threads, 2)
                                : 250;
    Observation made = carried_out(*wanted.plan);
    made.frame_s = 1 / fps;
    made.stages.assign(3, {device ? 1.55e-3 : 2.6e-3, 0, 0});
    made.service_s = 7.8e-3;
    made.cpu_s = device && !both ? 2 * made.frame_s : 7.8e-3;
    facts.observations.push_back(made);
  }
}

TEST(NextExperimentTest, LooksEndWhenItIsClearWhoIsBetter) {
  // Looks at two that are near equals, which differ by so much from look to look.
  const auto looks = [](double apart, double spread) {
    Facts facts = measured(two_stages());
    int count = 0;
    std::map<std::string, bool> slow;  // the latest look at it
    for (Next wanted = next(facts); wanted.plan; wanted = next(facts)) {
      Observation made = carried_out(*wanted.plan);
      const bool second = wanted.plan->configuration.threads == 2;
      if (wanted.plan->configuration.threads > 1) made.frame_s = (second ? 1 + apart : 1) / 300;
      if (wanted.plan->configuration.granularity == Granularity::medium) made.frame_s = 1.0 / 100;
      bool& was_slow = slow[to_string(wanted.plan->configuration)];
      if (wanted.plan->kind == Kind::look) {
        made.frame_s *= was_slow ? 1 - spread : 1 + spread;
        was_slow = !was_slow;
        ++count;
      }
      facts.observations.push_back(made);
      EXPECT_LT(facts.observations.size(), 100U);
    }
    return count;
  };
  EXPECT_LE(looks(0, 0), 6) << "nobody is better, and what may be lost grows with the looks";
  EXPECT_LE(looks(0, 0.08), 6) << "one look is ahead by chance";
}

// What is tried in bands, and what is chosen in the end, where a frame in so many bands takes such
// a part of the latency of a whole one.
std::pair<std::set<int>, Configuration> tried_in_bands(const Objective& objective,
                                                       const Constraints& allowed, uint32_t bands,
                                                       std::map<int, double> parts) {
  Chain chain = two_stages();
  chain.bands = bands;
  Facts facts{chain, {}};
  std::set<int> tried;
  for (;;) {
    const Findings findings = interpret(facts.observations, chain);
    const Next wanted = next_experiment(facts, findings, objective, allowed);
    if (!wanted.plan) return {tried, wanted.choice.best().configuration};
    if (facts.observations.size() > 60) ADD_FAILURE() << "no end";
    if (facts.observations.size() > 60) return {};
    Observation made = carried_out(*wanted.plan);
    const Configuration& configuration = wanted.plan->configuration;
    const bool device = configuration.mapping.any_device();
    made.latency_s = device ? 4e-3 * parts[configuration.tasks] : 12e-3;
    if (device && configuration.tasks > 1) tried.insert(configuration.tasks);
    facts.observations.push_back(made);
  }
}

TEST(NextExperimentTest, BandsAreDoubledAsLongAsThatAnswersSooner) {
  const std::map<int, double> parts{{1, 1}, {2, 0.8}, {4, 0.7}, {8, 0.9}};
  const auto [tried, chosen] = tried_in_bands({Metric::latency}, {}, 3, parts);
  EXPECT_EQ(tried, (std::set{2, 4, 8}));
  EXPECT_EQ(chosen.tasks, 4) << to_string(chosen);
}

TEST(NextExperimentTest, WholeFramesStayWhereBandsDoNotAnswerSooner) {
  const std::map<int, double> parts{{1, 1}, {2, 1.1}};
  const auto [tried, chosen] = tried_in_bands({Metric::latency}, {}, 3, parts);
  EXPECT_EQ(tried, std::set{2});
  EXPECT_EQ(chosen.tasks, 1) << to_string(chosen);
}

TEST(NextExperimentTest, NoBandsAreTriedByThroughputWhereFixedOrWhereStagesHaveNone) {
  const std::map<int, double> parts{{1, 1}, {2, 0.5}, {4, 0.4}, {8, 0.3}, {16, 0.3}};
  const Objective latency{Metric::latency};
  EXPECT_EQ(tried_in_bands(Objective{}, {}, 3, parts).first, std::set<int>());
  EXPECT_EQ(tried_in_bands(latency, {}, 0, parts).first, std::set<int>());
  EXPECT_EQ(tried_in_bands(latency, {.tasks = 1}, 3, parts).first, std::set<int>());
  const auto fixed = tried_in_bands(latency, {.tasks = 4}, 3, parts);
  EXPECT_EQ(fixed.first, std::set{4});
  EXPECT_EQ(fixed.second.tasks, 4);
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

TEST(NextExperimentTest, TrialsComeBeforeTheLookAtTheChoice) {
  Facts facts = measured(two_stages());
  const Next first = next(facts);
  ASSERT_TRUE(first.plan);
  EXPECT_EQ(first.plan->kind, Kind::glance);
  EXPECT_GT(first.plan->fill_s, 0);
  EXPECT_NE(first.plan->why.find("uncertain by"), std::string::npos) << first.plan->why;
  int glances = 0, looks = 0;
  for (Next wanted = first; wanted.plan; wanted = next(facts)) {
    ASSERT_LT(facts.observations.size(), 100U);
    const bool look = wanted.plan->kind == Kind::look;
    (look ? looks : glances) += 1;
    EXPECT_FALSE(wanted.plan->why.empty()) << to_string(wanted.plan->configuration);
    // All that has the device does the same.
    facts.observations.push_back(carried_out(*wanted.plan));
  }
  EXPECT_GT(glances, 0);
  EXPECT_GT(looks, 0);
  EXPECT_GT(next(facts).choice.count, 0);
  EXPECT_GE(next(facts).choice.expected_loss, 0);
  EXPECT_LT(next(facts).choice.expected_loss, 0.01);
}

// The device takes 1 ms for a frame and the cores nearly none of them.
TEST(NextExperimentTest, ADecoupledMappingIsTriedOnlyWhereItPromisesAGain) {
  const auto tried = [](double core_s) {
    Facts facts{two_stages(), {}};
    int glances = 0;
    for (Next wanted = next(facts); wanted.plan; wanted = next(facts)) {
      Observation made = carried_out(*wanted.plan);
      const Configuration& configuration = wanted.plan->configuration;
      const bool device = configuration.mapping.any_device();
      const bool beside = made.kind == Kind::beside;
      made.frame_s = device ? 1e-3 : core_s / std::min(configuration.threads, 2);
      if (beside) made.frame_s = 1 / (1e3 + 1 / core_s);
      made.device_frame_s = 1e-3;
      made.service_s = core_s;
      made.stages.assign(2, {device && !beside ? 0.5e-3 : core_s / 2, 0, 0});
      facts.observations.push_back(made);
      EXPECT_LT(facts.observations.size(), 100U);
      glances += made.kind == Kind::glance ? 1 : 0;
    }
    return glances;
  };
  EXPECT_EQ(tried(1), 0) << "two cores add 0.2%";
  EXPECT_GT(tried(0.02), 0) << "10%";
}

TEST(NextExperimentTest, NothingIsTriedThatIsNotAllowed) {
  Constraints allowed;
  allowed.mapping = Mapping{1, 2};
  Facts facts = measured(two_stages());
  for (Next wanted = next(facts, allowed); wanted.plan; wanted = next(facts, allowed)) {
    ASSERT_LT(facts.observations.size(), 100U);
    EXPECT_EQ(to_string(wanted.plan->configuration.mapping), "gc");
    facts.observations.push_back(carried_out(*wanted.plan));
  }
  EXPECT_EQ(to_string(next(facts, allowed).choice.best().configuration.mapping), "gc");
}

TEST(NextExperimentTest, AStarvedSourceTellsNothingAboutRates) {
  Facts facts = measured(two_stages());
  for (Observation& seen : facts.observations) seen.starved_frames = seen.frames;
  EXPECT_FALSE(next(facts).plan);
  EXPECT_GT(next(facts).choice.count, 0);
}

TEST(NextExperimentTest, WhatTheSourceBroughtIsKnownToWhatComesNext) {
  Facts facts = measured(two_stages());
  EXPECT_EQ(brought_fps({}), 0);
  double most_fps = 0;
  for (const Observation& seen : facts.observations)
    if (seen.kind != Observation::Kind::stages) most_fps = std::max(most_fps, rate_of(seen));
  EXPECT_EQ(next(facts).plan->source_fps, most_fps);
  Observation starved = facts.observations.back();
  starved.frame_s /= 10;  // by what its threads took for a frame
  starved.starved_frames = starved.frames;
  facts.observations.push_back(starved);
  EXPECT_EQ(brought_fps(facts.observations), most_fps);
}

}  // namespace
}  // namespace tandem
