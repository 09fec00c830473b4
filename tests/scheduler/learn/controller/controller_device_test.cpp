// SPDX-License-Identifier: LGPL-2.1-or-later
// A device that fails, comes later or takes no frame.
#include "tests/scheduler/learn/controller/controller_fixture.h"

namespace tandem {
namespace {

class ControllerDeviceTest : public ControllerTest {
 protected:
  /// The rules that hold with it are not told yet.
  void let_a_device_come_after_a_frame(Controller& controller, PaperChip& chip) {
    DeviceSide side{.letters = {{.capable = 7}}, .name = "a device", .coming = true};
    controller.set_device(side);
    const Step step = controller.frames_changed({"a"}, 0);
    next_frame(controller, chip, step);
    side.coming = false;
    controller.set_device(side);
  }
};

TEST_F(ControllerDeviceTest, GoesOnWithoutADeviceThatFailed) {
  PaperChip chip(3, 2, 8);
  Controller controller = make(chip, 3, 2);
  Step step = controller.frames_changed({"a"}, 0);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  step = controller.device_failed();
  EXPECT_FALSE(step.configuration.mapping.any_device());
  EXPECT_EQ(decisions_.back().reason, Reason::device_failed);
  EXPECT_FALSE(controller.training());
}

TEST_F(ControllerDeviceTest, WithOneDeviceLessItLearnsAnewAndForgetsNothing) {
  PaperChip chip(3, 2, 8);
  Controller controller = make(chip, 3, 2);
  Step step = controller.frames_changed({"a"}, 0);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  step = controller.device_left_out({.letters = {{.capable = 7}}, .name = "one less"});
  EXPECT_TRUE(controller.training());
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  EXPECT_EQ(decisions_.back().reason, Reason::asked);
  controller.frames_changed({"a"}, 0);
  EXPECT_EQ(decisions_.back().reason, Reason::remembered);
}

TEST_F(ControllerDeviceTest, WithADeviceThatComesLaterItLearnsAnew) {
  PaperChip chip(3, 2, 8);
  Controller controller = make(chip, 3, 2);
  controller.set_device({});
  Step step = controller.frames_changed({"a"}, 0);
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  EXPECT_FALSE(step.configuration.mapping.any_device());
  const AdaptRules rules{.max_overhead = 0.9};
  controller.set_device({.letters = {{.capable = 7}}, .name = "a device"});
  step = controller.set_rules(rules);
  EXPECT_TRUE(controller.training()) << "what was learnt without it is not enough";
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  EXPECT_GE(decisions_.back().experiments, 3) << "the device, medium grain, and cores beside it";
  controller.set_device({});
  step = controller.set_rules(rules);
  EXPECT_FALSE(controller.training()) << "that was learnt";
  EXPECT_FALSE(step.configuration.mapping.any_device());
}

TEST_F(ControllerDeviceTest, NothingIsDecidedBeforeADeviceThatIsComingIsThere) {
  PaperChip chip(3, 2, 8);
  Controller controller = make(chip, 3, 2);
  DeviceSide side{.letters = {{.capable = 7}}, .name = "a device", .coming = true};
  controller.set_device(side);
  Step step = controller.set_rules({});
  step = controller.frames_changed({"a"}, 0);
  EXPECT_EQ(to_string(step.configuration), "ccc/mg") << "whose frames are soon out";
  const auto meanwhile = next_frame(controller, chip, step);
  ASSERT_TRUE(meanwhile);
  EXPECT_EQ(to_string(meanwhile->configuration), "ccc/cg1") << "the other core builds programs";
  step = *meanwhile;
  EXPECT_EQ(run_to_decision(controller, chip, step, 1000), -1);
  controller.retrain();
  controller.set_objective({Metric::energy});
  EXPECT_FALSE(controller.training());
  EXPECT_TRUE(decisions_.empty());
  controller.set_objective({});

  side.coming = false;
  controller.set_device(side);
  step = controller.set_rules({});
  EXPECT_TRUE(controller.training());
  EXPECT_TRUE(step.configuration.mapping.any_device()) << "which is measured first";
  ASSERT_GT(run_to_decision(controller, chip, step, 100000), 0);
  EXPECT_EQ(decisions_.back().reason, Reason::caps) << "as if it had been there";
}

TEST_F(ControllerDeviceTest, AStreamThatEndsBeforeTheDeviceIsThereIsTooShort) {
  PaperChip chip(3, 2, 8);
  Controller controller = make(chip, 3, 2);
  controller.set_device({.letters = {{.capable = 7}}, .name = "a device", .coming = true});
  Step step = controller.frames_changed({"a"}, 0);
  controller.stream_ended();
  EXPECT_TRUE(decisions_.empty()) << "there was no frame";
  next_frame(controller, chip, step);
  controller.stream_ended();
  controller.stream_ended();
  ASSERT_EQ(decisions_.size(), 1u);
  EXPECT_EQ(decisions_.back().reason, Reason::too_short);
}

TEST_F(ControllerDeviceTest, AStreamThatEndsAsTheDeviceComesIsTooShort) {
  PaperChip chip(3, 2, 8);
  Controller controller = make(chip, 3, 2);
  let_a_device_come_after_a_frame(controller, chip);
  controller.set_rules({});
  ASSERT_TRUE(controller.training()) << "of which no frame comes";
  controller.stream_ended();
  controller.stream_ended();
  ASSERT_EQ(decisions_.size(), 1u);
  EXPECT_EQ(decisions_.back().reason, Reason::too_short);
}

TEST_F(ControllerDeviceTest, SoIsOneThatEndsBeforeTheRulesHoldWithTheDevice) {
  PaperChip chip(3, 2, 8);
  Controller controller = make(chip, 3, 2);
  let_a_device_come_after_a_frame(controller, chip);
  controller.stream_ended();
  ASSERT_EQ(decisions_.size(), 1u);
  EXPECT_EQ(decisions_.back().reason, Reason::too_short);
}

TEST_F(ControllerDeviceTest, AllCoresComputeOnceNobodyBuildsPrograms) {
  PaperChip chip(3, 2, 8);
  Controller controller = make(chip, 3, 2);
  let_a_device_come_after_a_frame(controller, chip);
  Step step = controller.set_rules({});
  ASSERT_TRUE(controller.training());
  next_frame(controller, chip, step);
  step = controller.device_failed();
  ASSERT_FALSE(controller.training()) << "the abandoned one has cost too much";
  EXPECT_EQ(decisions_.back().reason, Reason::not_allowed);
  EXPECT_EQ(to_string(step.configuration), "ccc/cg2");
}

TEST_F(ControllerDeviceTest, ADeviceThatFailsDuringTrainingIsLeftOutOfTheNext) {
  PaperChip chip(3, 2, 8);
  Controller controller = make(chip, 3, 2);
  Step step = controller.frames_changed({"a"}, 0);
  for (int frame = 0; frame < 20 || !step.configuration.mapping.any_device(); ++frame) {
    if (const auto next = next_frame(controller, chip, step)) step = *next;
  }
  step = controller.device_failed();
  EXPECT_EQ(to_string(step.configuration), "ccc/cg2");
  EXPECT_EQ(decisions_.back().reason, Reason::not_allowed);
  ASSERT_GT(run_to_decision(controller, chip, step, 1000000), 0);
  EXPECT_EQ(decisions_.back().reason, Reason::device_failed);
  EXPECT_EQ(decisions_.back().experiments, 2 + 2);
  EXPECT_FALSE(decisions_.back().after.mapping.any_device());
}

TEST_F(ControllerDeviceTest, WhatNoCoreCanComputeStaysOnTheDevice) {
  PaperChip chip(2, 2, 8);
  Chain chain;
  chain.stages = chain.cores = 2;
  chain.device_only = 2;
  Controller controller(chain, std::make_shared<Knowledge>(), [&chip] { return chip.probe(); });
  EXPECT_EQ(to_string(controller.configuration()), "cg/cg3");
  controller.set_device({.letters = {{.capable = 3}}, .name = "a device"});
  EXPECT_EQ(to_string(controller.set_rules({.max_overhead = 0}).configuration), "cg/cg3");
  controller.set_rules({});
  controller.frames_changed({"a"}, 0);
  EXPECT_TRUE(controller.training()) << "the first is free";

  controller.device_failed();
  EXPECT_FALSE(controller.training());
  controller.set_rules({});
  controller.retrain();
  EXPECT_FALSE(controller.training()) << "nothing can be measured any more";
}

TEST_F(ControllerDeviceTest, ADeviceThatTakesNoFrameIsLeftOut) {
  PaperChip chip(3, 2, 9);
  Controller controller = make(chip, 3, 2);
  Step step = controller.frames_changed({"a"}, 0);
  for (int frame = 0; frame < 100000 && decisions_.empty(); ++frame) {
    if (const auto next = controller.frame_done(chip.frame(step), 0)) step = *next;
  }
  ASSERT_FALSE(decisions_.empty());
  EXPECT_FALSE(step.configuration.mapping.any_device());
}

}  // namespace
}  // namespace tandem
