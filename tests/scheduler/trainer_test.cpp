// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/trainer.h"

#include <gtest/gtest.h>

#include "tests/scheduler/paper_chip.h"

namespace tandem {
namespace {

TEST(TrainerTest, TheDevicesStagesAreWhatWholeFramesLeaveOfThem) {
  PaperChip chip(3, 2, 4);
  const Measurements& truth = chip.truth();
  double device_s = 0;
  for (const StageMeasurements& stage : truth.stages) device_s += stage.device.seconds;
  chip.wait_for_stages(device_s / 9);  // in all, a third of what a frame takes without
  Trainer trainer(3, 2, 7, {}, 0, [&chip] { return chip.probe(); });
  while (trainer.step()) {
    const Trainer::Step step = *trainer.step();
    trainer.observe(chip.frame(step), mapped(step));
  }
  EXPECT_EQ(trainer.experiments(), 2 + 3);
  const Configuration alone{{7, 3}, Granularity::coarse, 1};
  EXPECT_NEAR(predict(trainer.measurements(), alone).throughput_fps,
              predict(truth, alone).throughput_fps, 0.05 * predict(truth, alone).throughput_fps);
}

TEST(TrainerTest, ThreadsThatStarveAreNoFasterThanTheCores) {
  PaperChip chip(3, 2, 4);
  Trainer trainer(3, 2, 0, {}, 0, [&chip] { return chip.probe(); });
  while (trainer.step()) {
    FrameTimes times = chip.frame(*trainer.step());
    times.starved = true;
    times.begin_ns = times.end_ns - 1'000'000;  // a thread alone has all that it needs
    trainer.observe(times, 0);
  }
  const std::vector<Cost>& cg = trainer.measurements().cg;
  EXPECT_NEAR(cg[1].seconds, 5e-4, 1e-6);
  EXPECT_NEAR(cg[2].seconds, 5e-4, 1e-6);
  EXPECT_TRUE(trainer.starved());
}

TEST(TrainerTest, ASourceThatGetsNoCoreIsNoSlowSource) {
  for (const double cores_busy : {1.5, 1.9}) {
    PaperChip chip(3, 2, 4);
    Trainer trainer(3, 2, 0, {}, 0, [&] {
      Probe probe = chip.probe();
      probe.cpu_s = 1e-9 * cores_busy * static_cast<double>(probe.now_ns);
      probe.processors = 2;
      return probe;
    });
    while (trainer.step()) {
      FrameTimes times = chip.frame(*trainer.step());
      times.starved = true;
      times.end_ns = times.begin_ns + 1'000'000;  // none of which tells what the source lets pass
      trainer.observe(times, 0);
    }
    const double passed_s = chip.truth().cg[1].seconds;
    EXPECT_EQ(trainer.starved(), cores_busy < 1.8);
    EXPECT_NEAR(trainer.measurements().cg[1].seconds, cores_busy < 1.8 ? 5e-4 : passed_s,
                0.05 * passed_s);
  }
}

TEST(TrainerTest, WhatTakesTheCoresAgainAndAgainCountsAndAHiccupDoesNot) {
  const auto measured = [](int every) {
    PaperChip chip(3, 4, 4);
    chip.stall(every, 10 * chip.truth().cg[3].seconds);
    Trainer trainer(3, 4, 0, {}, 200 * chip.truth().cg[3].seconds,
                    [&chip] { return chip.probe(); });
    while (trainer.step()) trainer.observe(chip.frame(*trainer.step()), 0);
    return trainer.measurements().cg[3].seconds / chip.truth().cg[3].seconds;
  };
  EXPECT_GT(measured(20), 1.3);
  EXPECT_NEAR(measured(350), 1, 0.05);
}

}  // namespace
}  // namespace tandem
