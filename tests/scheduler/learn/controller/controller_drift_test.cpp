// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames that take another time than they used to.
#include <gtest/gtest.h>

#include "tests/scheduler/learn/paper_chip.h"

namespace tandem {
namespace {

constexpr int kStages = 3, kCores = 2;

class ControllerDriftTest : public testing::Test {
 protected:
  explicit ControllerDriftTest(unsigned chip = 3)
      : chip_(kStages, kCores, chip),
        controller_(chain(), std::make_shared<Knowledge>(), [this] { return chip_.probe(); }) {
    controller_.decided = [this](const Decision& decision) { decisions_.push_back(decision); };
  }

  static Chain chain() {
    Chain chain;
    chain.stages = kStages;
    chain.cores = kCores;
    chain.device_capable = (1u << kStages) - 1;
    return chain;
  }
  void run(int frames) {
    for (int frame = 0; frame < frames; ++frame)
      if (const auto next = next_frame(controller_, chip_, step_)) step_ = *next;
  }
  bool told(Reason reason) const {
    return std::ranges::any_of(decisions_, [&](const Decision& d) { return d.reason == reason; });
  }

  PaperChip chip_;
  Controller controller_;
  Step step_;
  std::vector<Decision> decisions_;
};

TEST_F(ControllerDriftTest, WhatWasLearntAnswersAndComesBackWithoutATraining) {
  controller_.set_rules({.max_overhead = 0.9});
  step_ = controller_.frames_changed({"a"}, 0);
  run(5000);
  ASSERT_EQ(decisions_.size(), 1U);
  const Configuration learnt = step_.configuration;
  const double expected_fps = controller_.predicted().throughput_fps;
  chip_.slow_down(1.6);
  run(5000);
  EXPECT_TRUE(told(Reason::drift));
  EXPECT_NEAR(controller_.predicted().throughput_fps, expected_fps / 1.6, 0.2 * expected_fps);
  chip_.slow_down(1);
  run(5000);
  EXPECT_EQ(to_string(step_.configuration), to_string(learnt));
  EXPECT_EQ(controller_.totals().trainings, 1);
  EXPECT_NEAR(controller_.predicted().throughput_fps, expected_fps, 0.2 * expected_fps);
}

/// On a chip whose best configuration is coupled. Frames become slower, and what is coupled more
/// than that tells: looks find that what was learnt does not hold, and no training is allowed.
class CoupledDriftTest : public ControllerDriftTest {
 protected:
  CoupledDriftTest() : ControllerDriftTest(49) {
    controller_.set_rules({.max_overhead = 0.9});
    step_ = controller_.frames_changed({"a"}, 0);
    run(5000);
    learnt_ = step_.configuration;
    learnt_fps_ = controller_.predicted().throughput_fps;
    EXPECT_TRUE(learnt_.mapping.any_device() && !learnt_.mapping.decoupled());
    step_ = controller_.set_rules({.max_overhead = 1e-6});
    run(3000);
    controller_.looked = [this](const Observation& seen) {
      if (seen.configuration == learnt_)
        looked_s_.push_back(1e-9 * static_cast<double>(chip_.probe().now_ns));
    };
    chip_.slow_down(1.6);
    chip_.crowd(3, 0.3);
    run(5000);
    EXPECT_TRUE(told(Reason::drift));
    EXPECT_FALSE(runs_what_was_learnt());
  }

  bool runs_what_was_learnt() const { return step_.configuration == learnt_; }
  void allow_trainings(int frames) {
    step_ = controller_.set_rules({.max_overhead = 0.9});
    run(frames);
  }

  Configuration learnt_;
  double learnt_fps_ = 0;
  std::vector<double> looked_s_;  // when what was learnt was looked at
};

TEST_F(CoupledDriftTest, WithoutATrainingWhatRanBeforeIsLookedAtAgain) {
  chip_.slow_down(1);
  chip_.crowd(100, 1);
  run(20000);
  EXPECT_TRUE(runs_what_was_learnt());
  allow_trainings(2000);
  EXPECT_EQ(controller_.totals().trainings, 1) << "what was learnt holds again";
}

// So its time is found out after about a quarter of how long it was not.
TEST_F(CoupledDriftTest, WhatRanBeforeIsLookedAtAQuarterLaterEachTime) {
  ASSERT_GE(looked_s_.size(), 8U);
  const auto pause_s = [this](std::size_t i) { return looked_s_[i] - looked_s_[i - 1]; };
  for (std::size_t i = 4; i < 8; ++i) {  // the first looks are those that follow the drift
    EXPECT_GT(pause_s(i), pause_s(i - 1));
    EXPECT_LT(pause_s(i), 1.4 * pause_s(i - 1));
  }
}

// Until a training is allowed frames may change: they are looked at before it begins.
TEST_F(CoupledDriftTest, ATrainingThatHadToWaitIsLeftOutWhereFramesAreAsBefore) {
  chip_.slow_down(1);
  chip_.crowd(100, 1);
  allow_trainings(1000);
  EXPECT_TRUE(runs_what_was_learnt());
  EXPECT_EQ(controller_.totals().trainings, 1);
}

// The learnt configuration becomes the better one again while frames are still slow. It runs, and
// nobody says that it does what it did.
TEST_F(CoupledDriftTest, WhatRanBeforeMayBeBetterAndStillSlow) {
  chip_.crowd(100, 1);
  run(20000);
  EXPECT_TRUE(runs_what_was_learnt());
  EXPECT_NEAR(controller_.predicted().throughput_fps, learnt_fps_ / 1.6, 0.1 * learnt_fps_);
  chip_.slow_down(1);
  run(5000);
  EXPECT_TRUE(runs_what_was_learnt());
  EXPECT_NEAR(controller_.predicted().throughput_fps, learnt_fps_, 0.1 * learnt_fps_);
  allow_trainings(5000);
  EXPECT_EQ(controller_.totals().trainings, 1);
}

/// On a chip that trains for slow frames.
class TrainedTwiceTest : public ControllerDriftTest {};

// When frames are as before, so is what runs, and slow ones that come again are known as well.
TEST_F(TrainedTwiceTest, WhatWasLearntBeforeATrainingOfSlowFramesComesBack) {
  int kept = 0;
  controller_.trained = [&](const Conditions&, const Learnt&) { ++kept; };
  controller_.set_rules({.max_overhead = 0.9});
  step_ = controller_.frames_changed({"a"}, 0);
  run(5000);
  const Configuration learnt = step_.configuration;
  const double learnt_fps = controller_.predicted().throughput_fps;
  const auto make_slow = [&] {
    chip_.slow_down(1.6);
    chip_.crowd(2, 0.3);
    run(8000);
  };
  const auto make_fast = [&] {
    chip_.slow_down(1);
    chip_.crowd(100, 1);
    run(8000);
  };
  make_slow();
  ASSERT_EQ(controller_.totals().trainings, 2);
  const Configuration slow = step_.configuration;
  ASSERT_NE(to_string(slow), to_string(learnt));
  const double slow_fps = controller_.predicted().throughput_fps;
  EXPECT_EQ(kept, 2) << "once for each training: a look is no part of what follows one";
  kept = 0;
  make_fast();
  EXPECT_EQ(to_string(step_.configuration), to_string(learnt));
  EXPECT_NEAR(controller_.predicted().throughput_fps, learnt_fps, 0.1 * learnt_fps);
  EXPECT_EQ(kept, 1) << "who keeps knowledge is told what holds";
  make_slow();
  EXPECT_EQ(to_string(step_.configuration), to_string(slow));
  EXPECT_NEAR(controller_.predicted().throughput_fps, slow_fps, 0.1 * slow_fps);
  make_fast();  // what was learnt of slow frames may do nearly as well
  EXPECT_NEAR(controller_.measured().throughput_fps, learnt_fps, 0.1 * learnt_fps);
  EXPECT_EQ(controller_.totals().trainings, 2);
}

/// On a chip where it is easily misled.
class MisledTrainingTest : public ControllerDriftTest {
 protected:
  MisledTrainingTest() : ControllerDriftTest(13) {}
};

// Looks found something better than the training does, which the device misleads.
TEST_F(MisledTrainingTest, ATrainingEndsInNoLessThanWhatWouldRunWithoutIt) {
  controller_.set_rules({.max_overhead = 0.9});
  step_ = controller_.frames_changed({"a"}, 0);
  run(5000);
  chip_.slow_down(1.6);
  chip_.crowd(2, 0.5);
  chip_.wait_for_stages(0.05);
  run(8000);
  EXPECT_EQ(controller_.totals().trainings, 2);
  double best_fps = 0;
  for (const Configuration& one : all_configurations(kStages, kCores, (1u << kStages) - 1))
    best_fps =
        std::max(best_fps, predict(chip_.truth(), one).throughput_fps * chip_.crowding(one) / 1.6);
  EXPECT_GE(controller_.measured().throughput_fps, 0.95 * best_fps);
}

/// Frames take 1.2 times as long in the training as after it.
class FollowedTrainingTest : public ControllerDriftTest {
 protected:
  void train_on_slower_frames() {
    controller_.trained = [this](const Conditions&, const Learnt& learnt) {
      kept_fps_.push_back(learnt.chosen.prediction.throughput_fps);
    };
    controller_.set_rules({.max_overhead = 0.9});
    step_ = controller_.frames_changed({"a"}, 0);
    chip_.slow_down(1.2);
    while (decisions_.empty()) run(1);
    chip_.slow_down(1);
  }

  std::vector<double> kept_fps_;  // what is kept of the choice, each time
};

// What a training says of its choice is corrected once, by what the choice does for a while.
TEST_F(FollowedTrainingTest, WhatFollowsATrainingIsKeptWithIt) {
  train_on_slower_frames();
  run(3000);
  ASSERT_EQ(kept_fps_.size(), 2U);
  EXPECT_NEAR(kept_fps_[1], 1.2 * kept_fps_[0], 0.05 * kept_fps_[0]);
  EXPECT_NEAR(kept_fps_[1], controller_.measured().throughput_fps, 0.03 * kept_fps_[1]);
  step_ = controller_.frames_changed({"b"}, 0);
  run(5000);
  EXPECT_EQ(kept_fps_.size(), 3U) << "it does what it did in the training";
}

TEST_F(FollowedTrainingTest, ASourceThatPausesIsNoPartOfWhatFollows) {
  train_on_slower_frames();
  const uint64_t decided_ns = chip_.probe().now_ns;
  while (chip_.probe().now_ns < decided_ns + 2'000'000'000) run(1);
  chip_.wait_until(decided_ns + 9'000'000'000);
  FrameTimes first = chip_.frame(step_);
  first.starved = true;
  controller_.frame_done(first, chip_.device_stages());
  EXPECT_EQ(kept_fps_.size(), 1U) << "what it does without a pause is not known yet";
  run(3000);
  ASSERT_EQ(kept_fps_.size(), 2U);
  EXPECT_NEAR(kept_fps_[1], 1.2 * kept_fps_[0], 0.05 * kept_fps_[0]);
}

TEST_F(ControllerDriftTest, OneConfigurationLeavesNothingToDecide) {
  AdaptRules rules{.max_overhead = 0.9};
  rules.allowed.mapping = Mapping{0, kStages};
  rules.allowed.threads = 2;
  controller_.set_rules(rules);
  step_ = controller_.frames_changed({"a"}, 0);
  run(3000);
  chip_.slow_down(2);
  run(3000);
  EXPECT_FALSE(controller_.training());
  EXPECT_EQ(controller_.totals().trainings, 0);
  EXPECT_TRUE(decisions_.empty());
}

}  // namespace
}  // namespace tandem
