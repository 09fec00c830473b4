// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/run/controller.h"

#include <gtest/gtest.h>

#include "tests/scheduler/learn/controller/controller_fixture.h"

namespace tandem {
namespace {

TEST_F(ControllerTest, FindsWhatExhaustiveSearchFinds) {
  for (unsigned seed = 0; seed < 100; ++seed) {
    decisions_.clear();
    const int stages = 1 + static_cast<int>(seed % 6), cores = 1 + static_cast<int>(seed % 8);
    PaperChip chip(stages, cores, seed);
    Controller controller = make(chip, stages, cores);
    Step step = controller.frames_changed({"a"}, 0);
    ASSERT_GT(run_to_decision(controller, chip, step, 300000), 0) << "seed " << seed;
    const Choice best = choose(chip.truth(), {});
    const double reached = predict(chip.truth(), step.configuration).throughput_fps;
    // Where the device is back just before or after it is asked for, a percent makes a jump.
    EXPECT_GE(reached, 0.9 * best.best().prediction.throughput_fps)
        << "seed " << seed << " chose " << to_string(step.configuration) << " over "
        << to_string(best.best().configuration);
    EXPECT_LE(decisions_[0].experiments, (cores <= 4 ? cores + 1 : 4) + 3)
        << "few numbers of threads";
    EXPECT_FALSE(controller.training());
  }
}

TEST_F(ControllerTest, RemembersWhatItLearntOfASize) {
  for (unsigned seed = 0; seed < 30; ++seed) {
    PaperChip chip(6, 4, seed);
    chip.crowd(1, 0.5);  // what was not tried promises more than it would reach
    Controller controller = make(chip, 6, 4);
    Step step = controller.frames_changed({"ld"}, 0);
    ASSERT_GT(run_to_decision(controller, chip, step, 300000), 0);
    const Configuration learnt = step.configuration;
    controller.frames_changed({"hd"}, 0);
    step = controller.frames_changed({"ld"}, 0);
    EXPECT_EQ(to_string(step.configuration), to_string(learnt)) << "seed " << seed;
    EXPECT_EQ(decisions_.back().reason, Reason::remembered);
    EXPECT_FALSE(controller.training());
  }
}

TEST_F(ControllerTest, FramesThatCouldNotTrainAreNoReasonToTrainThoseThatAreKnown) {
  PaperChip chip(3, 2, 3);
  Controller controller = make(chip, 3, 2);
  Step step = controller.frames_changed({"a"}, 0);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  step = controller.frames_changed({"b"}, 0);
  ASSERT_EQ(decisions_.back().reason, Reason::not_allowed);
  step = controller.frames_changed({"a"}, 0);
  ASSERT_EQ(decisions_.back().reason, Reason::remembered);
  EXPECT_EQ(run_to_decision(controller, chip, step, 100000), -1) << "it is allowed by now";
  EXPECT_FALSE(controller.training());
  step = controller.frames_changed({"b"}, 0);
  EXPECT_TRUE(controller.training());
}

TEST_F(ControllerTest, AnInputThatChangesAllTheTimeStaysWithinTheOverhead) {
  PaperChip chip(3, 4, 2);
  Controller controller = make(chip, 3, 4);
  double training_s = 0;
  const FrameTimes start = chip.frame(controller.frames_changed({"0"}, 0));
  FrameTimes last = start;
  for (int size = 1; size < 2000; ++size) {
    Step step = controller.frames_changed({std::to_string(size)}, 0);
    for (int frame = 0; frame < 20; ++frame) {
      last = chip.frame(step);
      if (const auto next = controller.frame_done(last, chip.device_stages())) step = *next;
    }
  }
  int trainings = 0;
  for (const Decision& decision : decisions_) {
    if (decision.experiments == 0) continue;
    ++trainings;
    training_s +=
        decision.training_s - decision.training_frames / decision.predicted.throughput_fps;
  }
  const double run_s = 1e-9 * static_cast<double>(last.end_ns - start.begin_ns);
  EXPECT_LE(training_s, 0.05 * run_s) << trainings << " trainings in " << run_s << " s";
}

TEST_F(ControllerTest, RetrainsOnALastingChangeAndNotOnASlowFrame) {
  PaperChip chip(3, 2, 3);
  const AdaptRules rules{.max_overhead = 0.5};
  Controller controller = make(chip, 3, 2, rules);
  Step step = controller.frames_changed({"a"}, 0);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  for (int frame = 0; frame < 4000; ++frame) {
    chip.slow_down(frame % 50 == 49 ? 10 : 1);
    ASSERT_FALSE(next_frame(controller, chip, step)) << "frame " << frame;
  }
  chip.slow_down(2);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  EXPECT_EQ(decisions_.back().reason, Reason::drift);
}

TEST_F(ControllerTest, AMomentInWhichHundredsOfShortFramesAreSlowIsNoDrift) {
  PaperChip chip(3, 2, 3);
  constexpr double kUsual = 0.01;  // of the chip's times: a frame takes 0.1 ms or so
  chip.slow_down(kUsual);
  const AdaptRules rules{.max_overhead = 0.5};
  Controller controller = make(chip, 3, 2, rules);
  Step step = controller.frames_changed({"a"}, 0);
  ASSERT_GT(run_to_decision(controller, chip, step, 300000), 0);
  const uint64_t settled_ns = chip.probe().now_ns;
  int slow = 0;
  for (uint64_t ns = settled_ns; ns < settled_ns + 10'000'000'000; ns = chip.probe().now_ns) {
    const bool held_up = ns - settled_ns > 3'000'000'000 && ns % 2'000'000'000 < 60'000'000;
    slow += held_up ? 1 : 0;
    chip.slow_down(held_up ? 3 * kUsual : kUsual);
    ASSERT_FALSE(next_frame(controller, chip, step));
  }
  EXPECT_GT(slow, 300);
  chip.slow_down(2 * kUsual);
  ASSERT_GT(run_to_decision(controller, chip, step, 300000), 0);
  EXPECT_EQ(decisions_.back().reason, Reason::drift);
}

// Threads beside the device get into its driver's way since the training before.
TEST_F(ControllerTest, ATrainingDoesNotKeepWhatItHasNotTried) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    PaperChip chip(3, 16, seed);
    Controller controller = make(chip, 3, 16);
    Step step = controller.frames_changed({"a"}, 0);
    ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
    chip.crowd(2, 0.35);
    step = controller.retrain();
    ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
    const std::vector<Trial>& trials = controller.learnt()->findings.trials;
    const bool tried = find_trial(trials, step.configuration) != nullptr;
    EXPECT_TRUE(tried || !step.configuration.mapping.any_device())
        << "chip " << seed << ": " << to_string(step.configuration);
  }
}

TEST_F(ControllerTest, ADecisionListsItsTrialsWithTheReasonThatWasToldBefore) {
  PaperChip chip(3, 4, 7);
  Controller controller = make(chip, 3, 4);
  std::vector<std::string> told;
  controller.tries = [&](const std::string& why) { told.push_back(why); };
  Step step = controller.frames_changed({"a"}, 0);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  const Decision& decision = decisions_.back();
  ASSERT_EQ(decision.tried.size(), static_cast<std::size_t>(decision.trials));
  ASSERT_EQ(decision.tried.size(), told.size());
  ASSERT_FALSE(told.empty());
  for (std::size_t i = 0; i < told.size(); ++i) {
    const Tried& tried = decision.tried[i];
    EXPECT_EQ(tried.why, told[i]);
    EXPECT_NE(tried.why.find(" " + to_string(tried.configuration) + ": "), std::string::npos);
    EXPECT_GT(tried.fps, 0);
  }
}

TEST_F(ControllerTest, TheExpectedLossHoldsUntilAnotherDecision) {
  PaperChip chip(3, 4, 7);
  Controller controller = make(chip, 3, 4);
  EXPECT_FALSE(known(controller.expected_loss()));
  Step step = controller.frames_changed({"a"}, 0);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  EXPECT_GE(controller.expected_loss(), 0);
  EXPECT_EQ(controller.expected_loss(), decisions_.back().choice.expected_loss);
  controller.retrain();
  EXPECT_FALSE(known(controller.expected_loss())) << "while it trains";
}

TEST_F(ControllerTest, KeepsWhatRunsWhenTrainingIsNotAllowed) {
  PaperChip chip(3, 2, 4);
  const AdaptRules rules{.max_overhead = 0};
  Controller controller = make(chip, 3, 2, rules);
  const Step step = controller.frames_changed({"a"}, 0);
  EXPECT_EQ(to_string(step.configuration), "ccc/cg2");
  EXPECT_EQ(decisions_.back().reason, Reason::not_allowed);
}

TEST_F(ControllerTest, CapsThatChangeDuringTrainingEndItAndItsCostCounts) {
  PaperChip chip(3, 2, 5);
  Controller controller = make(chip, 3, 2);
  Step step = controller.frames_changed({"a"}, 0);
  for (int frame = 0; frame < 5; ++frame) {
    if (const auto next = next_frame(controller, chip, step)) step = *next;
  }
  step = controller.frames_changed({"b"}, 0);
  ASSERT_EQ(decisions_.size(), 1u);
  EXPECT_EQ(decisions_[0].reason, Reason::not_allowed);
  EXPECT_FALSE(controller.training());
  EXPECT_EQ(to_string(step.configuration), "ccc/cg2") << "not what an experiment ran";
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  EXPECT_EQ(decisions_[1].reason, Reason::caps);
  const Controller::Totals totals = controller.totals();
  EXPECT_EQ(totals.trainings, 2);
  EXPECT_GT(totals.penalty_s, decisions_[1].penalty_s);
  EXPECT_EQ(to_string(step.configuration), to_string(decisions_[1].after));
}

TEST_F(ControllerTest, FramesThatAreUnderWayBetweenTwoExperimentsCountAsTraining) {
  PaperChip chip(3, 2, 5);
  Controller controller = make(chip, 3, 2);
  Step step = controller.frames_changed({"a"}, 0);
  int frames = 0;
  uint64_t begin_ns = 0, end_ns = 0;
  // Returns whether frames run under another configuration from now on.
  const auto frame = [&](const Step& ran) {
    const FrameTimes times = chip.frame(ran);
    if (frames++ == 0) begin_ns = times.begin_ns;
    end_ns = std::max(end_ns, times.end_ns);
    const auto next = controller.frame_done(times, chip.device_stages());
    if (next) step = *next;
    return next.has_value();
  };
  while (decisions_.empty()) {
    const Step ran = step;
    if (!frame(ran)) continue;
    for (int late = 0; late < 3 && decisions_.empty(); ++late) frame(ran);
  }
  EXPECT_EQ(decisions_[0].training_frames, frames);
  EXPECT_NEAR(decisions_[0].training_s, 1e-9 * (end_ns - begin_ns), 1e-6);
}

TEST_F(ControllerTest, ASinkThatHoldsFramesBackMakesNoTrainingDear) {
  PaperChip chip(3, 2, 5);
  Controller controller = make(chip, 3, 2);
  Step step = controller.frames_changed({"a"}, 0);
  while (decisions_.empty()) {
    FrameTimes times = chip.frame(step);
    times.held_ns = times.end_ns - times.begin_ns;
    if (const auto next = controller.frame_done(times, chip.device_stages())) step = *next;
  }
  EXPECT_LT(decisions_[0].penalty_s, 1e-3);
}

TEST_F(ControllerTest, AStreamShorterThanTrainingSaysSoAndALoopGoesOn) {
  PaperChip chip(3, 2, 5);
  Controller controller = make(chip, 3, 2);
  Step step = controller.frames_changed({"a"}, 0);
  controller.stream_ended();
  EXPECT_TRUE(decisions_.empty()) << "it had no frames";
  for (int frame = 0; frame < 5; ++frame) {
    if (const auto next = next_frame(controller, chip, step)) step = *next;
  }
  controller.stream_ended();
  ASSERT_EQ(decisions_.size(), 1u);
  EXPECT_EQ(decisions_[0].choice.count, 0) << "no experiment was over";
  EXPECT_EQ(decisions_[0].reason, Reason::too_short);
  EXPECT_EQ(decisions_[0].after, decisions_[0].before);
  EXPECT_EQ(decisions_[0].training_frames, 5);
  EXPECT_GT(decisions_[0].training_s, 0);
  controller.stream_ended();
  EXPECT_EQ(decisions_.size(), 1u) << "it had no frames since";
  while (controller.trial() == 0)
    if (const auto next = next_frame(controller, chip, step)) step = *next;
  controller.stream_ended();
  ASSERT_EQ(decisions_.size(), 2u);
  ASSERT_GT(decisions_[1].choice.count, 0);
  EXPECT_GT(decisions_[1].choice.best().prediction.throughput_fps, 0) << "the best so far";
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  EXPECT_EQ(decisions_[2].reason, Reason::caps);
  EXPECT_EQ(controller.totals().trainings, 1);
  controller.stream_ended();
  EXPECT_EQ(decisions_.size(), 3u) << "nothing was under way";
}

TEST_F(ControllerTest, WithDriftAloneOtherFramesAreNoReasonButOtherTimesAre) {
  PaperChip chip(3, 2, 6);
  AdaptRules rules;
  rules.on_caps = false;
  rules.max_overhead = 0.5;
  Controller controller = make(chip, 3, 2, rules);
  Step step = controller.frames_changed({"a"}, 0);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0)
      << "the first frames are trained on";
  for (int frame = 0; frame < 200; ++frame) ASSERT_FALSE(next_frame(controller, chip, step));
  step = controller.frames_changed({"b"}, 0);
  ASSERT_FALSE(controller.training());
  for (int frame = 0; frame < 200; ++frame) ASSERT_FALSE(next_frame(controller, chip, step));
  chip.slow_down(3);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  EXPECT_EQ(decisions_.back().reason, Reason::drift);
}

TEST_F(ControllerTest, ChoosesAmongWhatIsAllowed) {
  PaperChip chip(3, 2, 7);
  AdaptRules rules;
  rules.allowed.mapping = Mapping{2, 3};
  Controller controller = make(chip, 3, 2, rules);
  Step step = controller.frames_changed({"a"}, 0);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  EXPECT_EQ(to_string(step.configuration.mapping), "cgc");
  rules.allowed.threads = 2;
  step = controller.set_rules(rules);
  EXPECT_EQ(to_string(step.configuration), "cgc/cg2");
  EXPECT_EQ(decisions_.size(), 1u) << "one configuration leaves nothing to decide";
  step = controller.set_rules({});
  EXPECT_EQ(decisions_.back().reason, Reason::rules);
  EXPECT_FALSE(controller.training()) << "what was learnt is enough";
}

TEST_F(ControllerTest, TurnedOffDuringTrainingItGoesOnAsBefore) {
  PaperChip chip(3, 2, 8);
  Controller controller = make(chip, 3, 2);
  Step step = controller.frames_changed({"a"}, 0);
  AdaptRules off;
  off.on_caps = off.on_drift = false;
  step = controller.set_rules(off);
  EXPECT_EQ(to_string(step.configuration), "ccc/cg2");
  EXPECT_FALSE(controller.training());
}

TEST_F(ControllerTest, TheBestNumberOfThreadsLiesBetweenThoseThatWereTried) {
  for (const auto& [seed, crowded] : {std::pair(4u, 10), {4u, 16}, {5u, 14}, {5u, 16}}) {
    decisions_.clear();
    PaperChip chip(3, 16, seed);
    chip.crowd(crowded, 0.15);
    Controller controller = make(chip, 3, 16);
    Step step = controller.frames_changed({"a"}, 0);
    ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
    const auto reaches = [&](const Configuration& configuration) {
      return chip.crowding(configuration) * predict(chip.truth(), configuration).throughput_fps;
    };
    double best = 0;
    Model(chip.truth()).predict_all([&](const Configuration& configuration, const Prediction&) {
      best = std::max(best, reaches(configuration));
    });
    EXPECT_GE(reaches(step.configuration), 0.9 * best)
        << "crowded from " << crowded << " threads, chose " << to_string(step.configuration);
  }
}

}  // namespace
}  // namespace tandem
