// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_look.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "scheduler/learn/looks.h"
#include "tests/scheduler/learn/observations.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

const AnalyticPredictor kPredictor;

Observation look(int threads, double fps, Kind kind = Kind::look) {
  Observation seen = carried_out({on_device(threads), kind});
  seen.frame_s = 1 / fps;
  seen.frames = static_cast<int>(0.25 * fps);
  seen.lasted_s = 0.3;
  return seen;
}

/// Whose turn it is to be looked at, in threads; 0: nobody's. `slower`: how many times longer
/// frames took in the experiments.
int turn(const std::vector<Observation>& looks, double slower = 1, int cores = 2,
         const Objective& objective = {}) {
  Facts facts = measured(two_stages(), kPredictor);
  facts.chain.cores = cores;
  for (Observation& seen : facts.observations) {
    for (double* value : {&seen.frame_s, &seen.device_frame_s, &seen.service_s}) *value *= slower;
    for (Observation::StageTimes& stage : seen.stages) stage.seconds *= slower;
  }
  facts.observations.insert(facts.observations.end(), looks.begin(), looks.end());
  const Findings found = interpret(facts.observations, facts.chain, kPredictor);
  const Choice choice =
      kPredictor.choose(found.measurements, objective, {}, found.trials, Which::measured);
  const Candidate* next = worth_a_look(choice, found, facts, 1);
  return next ? next->configuration.threads : 0;
}

TEST(NextLookTest, WhoIsFarAheadIsNotComparedAndLookedAtOnce) {
  EXPECT_EQ(turn({look(2, 1000), look(3, 500)}), 0);
  EXPECT_EQ(turn({look(2, 1000, Kind::glance), look(3, 500)}), 2)
      << "a glance is no look at length";
}

// Either the machine stood still in the slow one, or it was fast for a moment in the other one.
TEST(NextLookTest, OfTwoLooksThatContradictEachOtherAThirdSaysWhichIsRight) {
  EXPECT_EQ(turn({look(2, 1000), look(2, 850), look(3, 500)}), 0);
  for (const auto& [first, second] : {std::pair{1000, 700}, {700, 1000}}) {
    std::vector<Observation> looks{look(2, first), look(2, second), look(3, 500)};
    EXPECT_EQ(turn(looks), 2);
    EXPECT_EQ(turn(looks, 1, 16), 2);
    looks.push_back(look(2, 720));
    EXPECT_EQ(turn(looks), 0) << "the third one has said";
  }
  EXPECT_EQ(turn({look(2, 1000), look(2, 700), look(3, 500), look(3, 300)}), 2)
      << "what is not chosen may be anything";
  const std::vector<Observation> looks{look(2, 1000), look(2, 700), look(3, 500)};
  Objective within;
  within.target_latency_s = 1;
  EXPECT_EQ(turn(looks, 1, 2, within), 0) << "rate does not lead";
}

TEST(NextLookTest, NearEqualsAreLookedAtInTurnUntilItMattersLittle) {
  std::vector<Observation> looks{look(2, 1000)};
  EXPECT_EQ(turn({look(2, 1000), look(3, 1000, Kind::glance)}), 2);
  looks = {look(2, 1000), look(3, 999)};
  const int first = turn(looks);
  EXPECT_NE(first, 0) << "a spread of 2% is expected";
  for (int i = 0; i < 3; ++i) {
    looks.push_back(look(2, 1000));
    looks.push_back(look(3, 999));
  }
  EXPECT_EQ(turn(looks), 0) << "looks agree";
}

TEST(NextLookTest, LongFramesAreLookedAtLess) {
  const auto rivals = [](double slower) {
    return turn({look(2, 1000 / slower), look(3, 995 / slower, Kind::glance)}, slower);
  };
  EXPECT_NE(rivals(1), 0);
  EXPECT_EQ(rivals(100), 0) << "each look takes a second";
}

// Looks cost hardly a frame, but a training is to be short.
TEST(NextLookTest, WithManyCoresEachLookHasToMatterMore) {
  const std::vector<Observation> looks{look(2, 1000), look(3, 999)};
  std::vector<Observation> more = looks;
  more.insert(more.end(), looks.begin(), looks.end());
  EXPECT_NE(turn(looks, 1, 8), 0);
  EXPECT_NE(turn(more, 1, 8), 0);
  EXPECT_EQ(turn(looks, 1, 16), 0) << "two looks are five glances";
}

// With up to eight cores it is the seconds that count: frames of tens of milliseconds.
TEST(NextLookTest, WithFewCoresLooksThatLastLongHaveToMatterMore) {
  std::vector<Observation> looks;
  for (const double way : {1.0, -1.0, 1.0})
    for (const int threads : {2, 3}) looks.push_back(look(threads, 1000 + 30 * way));
  EXPECT_NE(turn(looks), 0);
  for (Observation& seen : looks) seen.lasted_s = 1;
  EXPECT_EQ(turn(looks), 0);
}

TEST(NextLookTest, WhereLooksDifferMoreOfThemAreMade) {
  std::vector<Observation> quiet, noisy;
  for (const double way : {1.0, -1.0, 1.0}) {
    for (const int threads : {2, 3}) {
      quiet.push_back(look(threads, 1000 + way));
      noisy.push_back(look(threads, 1000 + 30 * way));
    }
  }
  EXPECT_EQ(turn(quiet), 0);
  EXPECT_NE(turn(noisy), 0);
}

TEST(NextLookTest, LanesThatDoTheSameAreLookedAtOnceMoreEach) {
  Facts facts = measured(two_stages(), kPredictor);
  const auto add = [&](int threads, int lanes) {
    Observation seen = look(threads, 1000);
    seen.configuration.lanes = lanes;
    facts.observations.push_back(seen);
  };
  const auto looked_at = [&] {
    const Findings found = interpret(facts.observations, facts.chain, kPredictor);
    return worth_a_look(ranked(found.trials), found, facts, 1) != nullptr;
  };
  add(2, 4);
  add(2, 8);
  EXPECT_TRUE(looked_at());
  add(2, 4);
  add(2, 8);
  EXPECT_FALSE(looked_at());
  add(3, 4);
  EXPECT_TRUE(looked_at()) << "another number of threads is another matter";
}

/// Whether all cores are looked at once more, which did so much when they were measured, where one
/// alone does 100 frames/s, after these trials.
bool looks_at_cores(double cores_fps, const std::vector<Observation>& trials, int cores = 2,
                    bool is_last = false) {
  Facts facts{two_stages(), trials};
  facts.chain.cores = cores;
  Findings found = interpret(facts.observations, two_stages(), kPredictor);
  Measurements& m = found.measurements;
  m.cores = cores;
  m.cg.resize(static_cast<std::size_t>(cores));
  m.cg.front().seconds = 10e-3;
  m.cg.back().seconds = 1 / cores_fps;
  m.cg_interpolated.assign(m.cg.size(), false);
  const auto next = slowed_cores(ranked(found.trials), found, facts, is_last);
  EXPECT_TRUE(!next || *next == on_cores(2));
  return next.has_value();
}

// A host that gives two virtual cores the time of one for half a second.
TEST(NextLookTest, CoresThatDidLittleMoreThanOneAreLookedAtAgain) {
  const auto device = [](int threads, double fps) { return look(threads, fps, Kind::glance); };
  const auto cores = [](double fps) {
    Observation seen = look(2, fps);
    seen.configuration = on_cores(2);
    return seen;
  };
  EXPECT_TRUE(looks_at_cores(110, {device(2, 150), device(3, 160)}));
  EXPECT_FALSE(looks_at_cores(110, {device(2, 150)})) << "it may not be over";
  EXPECT_FALSE(looks_at_cores(160, {device(2, 150), device(3, 155)})) << "no spell";
  EXPECT_FALSE(looks_at_cores(110, {device(2, 150), device(3, 210)})) << "two do 200 at most";
  EXPECT_FALSE(looks_at_cores(110, {device(2, 150), device(3, 160), cores(112)})) << "just now";
  EXPECT_FALSE(looks_at_cores(110, {device(2, 150), device(3, 160), cores(190)}))
      << "they are best";
  const std::vector<Observation> more{device(2, 150), device(3, 160), cores(112), device(1, 110),
                                      device(4, 150)};
  EXPECT_TRUE(looks_at_cores(110, more)) << "the last time";
  std::vector<Observation> most = more;
  most.push_back(cores(112));
  for (const int threads : {5, 6, 7}) most.push_back(device(threads, 150));
  EXPECT_FALSE(looks_at_cores(110, most));
  EXPECT_FALSE(looks_at_cores(110, {device(2, 150), device(3, 160)}, 16));
  EXPECT_FALSE(looks_at_cores(
      110, {device(2, 150), device(3, 160), device(1, 110), device(4, 150), cores(112)}))
      << "the same spell";
  EXPECT_TRUE(looks_at_cores(110, {device(2, 150)}, 2, true)) << "nothing else is tried";
  EXPECT_FALSE(looks_at_cores(110, {device(2, 150), cores(112), device(3, 150)}, 2, true));
}

// ViVid and PoCL on the same two cores, which are slow from 0.6 s on for 0.6 s.
TEST(NextLookTest, ASpellDoesNotMakeTheDeviceTheChoice) {
  Chain chain = two_stages();
  Facts facts{chain, {}};
  double now_s = 0;
  Choice choice;
  for (;;) {
    const Findings found = interpret(facts.observations, chain, kPredictor);
    const Next next = next_experiment(facts, found, {}, {}, kPredictor);
    choice = next.choice;
    if (!next.plan) break;
    ASSERT_LT(facts.observations.size(), 50U);
    Observation made = carried_out(*next.plan);
    const bool device = made.configuration.mapping.any_device();
    const int at_work = now_s > 0.6 && now_s < 1.2 ? 1 : 2;
    made.frame_s = device ? 1 / 210.0 : 1 / (130.0 * std::min(made.configuration.threads, at_work));
    made.stages.assign(2, {device ? 2.4e-3 : 3.8e-3, 0, 0});
    made.cpu_s = device ? 2 * made.frame_s : 7.7e-3;
    made.service_s = 7.7e-3;
    made.lasted_s = 0.2;
    now_s += made.lasted_s;
    facts.observations.push_back(made);
  }
  ASSERT_GT(choice.count, 0);
  EXPECT_FALSE(choice.best().configuration.mapping.any_device())
      << to_string(choice.best().configuration);
}

TEST(NextLookTest, OneThatThreadsGetInTheWayOfSaysLittleOfOthers) {
  std::vector<Observation> looks;
  for (int i = 0; i < 4; ++i) {
    looks.push_back(look(2, 1000));
    looks.push_back(look(3, i % 2 == 0 ? 300 : 900));
  }
  EXPECT_LT(spread_of_looks(looks), 0.06);
}

TEST(NextLookTest, TheSpreadIsOfLooksThatFollowEachOther) {
  std::vector<Observation> rising;
  rising.reserve(10);
  for (int i = 0; i < 10; ++i) rising.push_back(look(2, 1000 * std::pow(1.02, i)));
  EXPECT_LT(spread_of_looks(rising), 0.02) << "though the last is 20% above the first";
  EXPECT_NEAR(spread_of_looks({}), 0.02, 1e-12);
}

TEST(NextLookTest, ALoneTrialThatFellFarShortHasASecondChance) {
  const auto did = [](const Configuration& configuration, double fps, double expected_fps) {
    Trial trial{configuration, {}, {}};
    trial.predicted.throughput_fps = expected_fps;
    trial.measured.throughput_fps = fps;
    return trial;
  };
  Configuration medium = on_device(3);
  medium.granularity = Granularity::medium;
  const Trial best = did(medium, 1650, 1600), lone = did(on_device(3), 815, 1900);
  Facts facts;
  Metric metric = Metric::throughput;
  const auto again = [&](const std::vector<Trial>& trials) {
    Findings found;
    found.trials = trials;
    Choice choice = ranked(trials);
    choice.objective.metric = metric;
    return second_chance(choice, found, facts);
  };
  EXPECT_EQ(again({best, lone}), lone.configuration);
  EXPECT_EQ(again({best, lone, did(on_device(2), 1000, 1100)}), lone.configuration);
  EXPECT_FALSE(again({best, lone, did(on_device(2), 1000, 1800)})) << "they fall short alike";
  EXPECT_FALSE(again({best, did(on_device(3), 815, 1700)})) << "hardly more was expected";
  EXPECT_FALSE(again({best, did(on_device(3), 1500, 1900)})) << "not far";
  metric = Metric::efficiency;
  EXPECT_FALSE(again({best, lone})) << "a look at its power is as slow as it is, and as long";
  metric = Metric::throughput;
  facts.observations = {look(3, 1000)};
  EXPECT_FALSE(again({best, lone})) << "once";
}

}  // namespace
}  // namespace tandem
