// SPDX-License-Identifier: LGPL-2.1-or-later
// The controller with knowledge of an earlier process, and of frames of other sizes.
#include <gtest/gtest.h>

#include "scheduler/learn/run/controller.h"
#include "tests/scheduler/learn/paper_chip.h"

namespace tandem {
namespace {

constexpr int kStages = 3, kCores = 4;

Conditions of_size(int width) {
  return {.stages = "a ! b ! c", .format = "GRAY8", .width = width, .height = 100};
}

/// A stream with a bin of its own, as a process has it.
class Process {
 public:
  explicit Process(PaperChip& chip, std::vector<Known> known = {}, Domains domains = {})
      : chip_(chip), controller_(chain(domains), std::make_shared<Knowledge>(), [this] {
          return chip_.probe();
        }) {
    controller_.decided = [this](const Decision& decision) { decisions.push_back(decision); };
    controller_.trained = [this](const Conditions& conditions, const Learnt& learnt) {
      kept.push_back(known_of(conditions, learnt, 1));
    };
    controller_.set_rules({.max_overhead = 0.9});
    controller_.know(std::move(known));
  }

  void begin(int width) { step_ = controller_.frames_changed(of_size(width), 0); }

  void run(int frames, bool starved = false) {
    for (int frame = 0; frame < frames; ++frame) {
      FrameTimes times = chip_.frame(step_);
      times.starved = starved;
      if (const auto next = controller_.frame_done(times, chip_.device_stages())) step_ = *next;
    }
  }

  void train(int width) {
    begin(width);
    if (!controller_.training()) step_ = controller_.retrain();
    for (std::size_t before = kept.size(); kept.size() == before;) run(1);
  }

  void set_rules(const AdaptRules& rules) { step_ = controller_.set_rules(rules); }

  Controller& controller() { return controller_; }
  std::string configuration() const { return to_string(step_.configuration); }

  std::vector<Decision> decisions;
  std::vector<Known> kept;

 private:
  static Chain chain(const Domains& domains) {
    Chain chain;
    chain.stages = kStages;
    chain.cores = kCores;
    chain.device_capable = (1u << kStages) - 1;
    chain.domains = domains;
    return chain;
  }

  PaperChip& chip_;
  Controller controller_;
  Step step_;
};

constexpr int kWhile = 20000;  // frames that a training would be over in, and all looks

class ControllerKnowledgeTest : public testing::TestWithParam<unsigned> {
 protected:
  PaperChip chip_{kStages, kCores, GetParam()};
};

TEST_P(ControllerKnowledgeTest, RunsAtOnceWhatAnEarlierProcessChoseAndVerifiesItWithALook) {
  Process first(chip_);
  first.train(100);
  ASSERT_EQ(first.kept.size(), 1u);
  Process second(chip_, first.kept);
  second.begin(100);
  EXPECT_EQ(second.configuration(), first.configuration());
  ASSERT_EQ(second.decisions.size(), 1u);
  EXPECT_EQ(second.decisions[0].reason, Reason::remembered);
  second.run(kWhile);
  EXPECT_EQ(second.decisions.size(), 1u);
  EXPECT_EQ(second.controller().totals().trainings, 0);
  EXPECT_TRUE(second.controller().learnt()->verified);
}

// As where frames are long, and a training by throughput measures one lane stage by stage alone.
TEST_P(ControllerKnowledgeTest, WhereLatencyMattersOneLaneIsMeasuredRatherThanGuessed) {
  Process first(chip_);
  first.train(100);
  for (Observation& seen : first.kept.at(0).facts.observations)
    if (seen.kind != Observation::Kind::stages && seen.configuration.mapping.any_device())
      seen.configuration.lanes = 4;
  for (const Objective& objective :
       {Objective{}, Objective{.target_latency_s = 1}, Objective{Metric::latency}}) {
    Process second(chip_, first.kept);
    int alone = 0;
    second.controller().observed = [&](const Observation& seen) {
      alone += seen.configuration == Configuration{{7, kStages}, Granularity::coarse, 1} &&
               seen.kind == Observation::Kind::experiment;
    };
    second.controller().set_objective(objective);
    second.begin(100);
    EXPECT_EQ(second.controller().training(), needs_latency(objective));
    if (!needs_latency(objective)) continue;
    second.run(kWhile);
    EXPECT_EQ(alone, 1);
    EXPECT_EQ(second.controller().totals().trainings, 1);
  }
}

TEST_P(ControllerKnowledgeTest, AMachineThatIsSlowerOrFasterThanItWasIsLearntAnewOnce) {
  for (const double slower : {1.5, 0.6}) {
    Process first(chip_);
    first.train(100);
    chip_.slow_down(slower);
    Process second(chip_, first.kept);
    second.begin(100);
    EXPECT_EQ(second.decisions.at(0).reason, Reason::remembered);
    second.run(5 * kWhile);
    ASSERT_FALSE(second.kept.empty());
    EXPECT_LE(second.kept.size(), 2u)
        << "and where what was chosen does another rate than was said";
    EXPECT_EQ(second.decisions.back().reason, Reason::drift);
    EXPECT_EQ(second.controller().totals().trainings, 1) << "once";
    Process third(chip_, {second.kept.back()});
    third.begin(100);
    third.run(kWhile);
    EXPECT_EQ(third.controller().totals().trainings, 0) << "what was learnt anew is right";
    chip_.slow_down(1);
  }
}

TEST_P(ControllerKnowledgeTest, AMomentInWhichTheMachineStandsStillIsNoReasonToTrain) {
  Process first(chip_);
  first.train(100);
  Process second(chip_, first.kept);
  second.begin(100);
  chip_.slow_down(2);
  for (const uint64_t begin_ns = chip_.probe().now_ns;
       chip_.probe().now_ns < begin_ns + 300'000'000;)  // less than a look
    second.run(1);
  chip_.slow_down(1);
  second.run(kWhile);
  EXPECT_EQ(second.controller().totals().trainings, 0);
}

TEST_P(ControllerKnowledgeTest, ASlowSourceSaysNothingAboutWhatIsKnown) {
  Process first(chip_);
  first.train(100);
  chip_.slow_down(3);  // the source's pace
  Process second(chip_, first.kept);
  second.begin(100);
  second.run(kWhile, true);
  EXPECT_EQ(second.controller().totals().trainings, 0);
  EXPECT_FALSE(second.controller().learnt()->verified);
  second.run(5 * kWhile);
  EXPECT_EQ(second.controller().totals().trainings, 1) << "now it does";
}

TEST_P(ControllerKnowledgeTest, ASlowSourceTellsOfARateThatIsThoughtToBeImpossible) {
  chip_.slow_down(3);  // the machine was busy
  Process first(chip_);
  first.train(100);
  chip_.slow_down(1);
  Process second(chip_, first.kept);
  second.begin(100);
  second.run(kWhile, true);
  EXPECT_EQ(second.controller().totals().trainings, 1);
}

TEST_P(ControllerKnowledgeTest, WhatIsKnownOfAnotherChainIsLeftOut) {
  Process first(chip_);
  first.train(100);
  std::vector<Known> other = first.kept;
  other[0].facts.chain.device_capable = 1;
  Process second(chip_, other);
  second.begin(100);
  EXPECT_TRUE(second.controller().training());
}

TEST_P(ControllerKnowledgeTest, JoulesOfAnotherMeterAreNoJoules) {
  Process first(chip_);
  first.train(100);
  for (Observation& seen : first.kept[0].facts.observations) seen.watts = {10, 20, 30};
  first.kept[0].facts.chain.domains = {Domain::dominant, Domain::dominant, Domain::dominant};
  Process second(chip_, first.kept, {Domain::absent, Domain::dominant, Domain::absent});
  second.controller().set_objective({.metric = Metric::efficiency});
  second.begin(100);
  EXPECT_TRUE(second.controller().training()) << "nothing is known of energy";
}

TEST_P(ControllerKnowledgeTest, AnotherSizeIsDerivedAndVerified) {
  Process first(chip_);
  first.train(100);
  chip_.slow_down(4);
  first.train(400);
  chip_.slow_down(2);
  Process second(chip_, first.kept);
  second.begin(200);
  EXPECT_EQ(second.decisions.at(0).reason, Reason::derived);
  second.run(kWhile);
  EXPECT_EQ(second.controller().totals().trainings, 0);
  EXPECT_TRUE(second.controller().learnt()->verified);
  const Choice best = choose(chip_.truth(), {});
  EXPECT_GE(predict(chip_.truth(), second.controller().configuration()).throughput_fps,
            0.9 * best.best().prediction.throughput_fps);
}

TEST_P(ControllerKnowledgeTest, WhatIsDerivedFromFramesThatAreNothingLikeThemIsNotFarOff) {
  Process first(chip_);
  first.train(100);
  PaperChip other(kStages, kCores, GetParam() + 1000);
  Process second(other, first.kept);
  second.begin(150);
  EXPECT_EQ(second.decisions.at(0).reason, Reason::derived);
  second.run(5 * kWhile);
  const Choice best = choose(other.truth(), {});
  EXPECT_GE(predict(other.truth(), second.controller().configuration()).throughput_fps,
            0.6 * best.best().prediction.throughput_fps)
      << second.configuration() << " over " << to_string(best.best().configuration);
}

TEST_P(ControllerKnowledgeTest, WithoutAdaptationNothingIsLookedAt) {
  for (const bool before : {true, false}) {
    SCOPED_TRACE(before ? "turned off before frames change" : "while it looks");
    Process process(chip_);
    process.train(100);
    if (!before) process.begin(150);
    AdaptRules off;
    off.on_caps = off.on_drift = false;
    process.set_rules(off);
    const std::string frozen = process.configuration();
    if (before) process.begin(150);
    for (int frame = 0; frame < kWhile; ++frame) {
      process.run(1);
      ASSERT_EQ(process.configuration(), frozen);
    }
  }
}

TEST_P(ControllerKnowledgeTest, APropertyThatIsSetWhileItLooksChangesNothing) {
  Process first(chip_);
  first.train(100);
  Process second(chip_, first.kept);
  second.begin(100);
  second.run(10);
  second.controller().set_rules({.max_overhead = 0.8});
  second.run(10);
  second.begin(100);
  second.run(kWhile);
  EXPECT_EQ(second.configuration(), first.configuration());
  EXPECT_EQ(second.controller().totals().trainings, 0);
}

INSTANTIATE_TEST_SUITE_P(Chips, ControllerKnowledgeTest, testing::Range(0u, 12u));

}  // namespace
}  // namespace tandem
