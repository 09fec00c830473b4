// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages that leave frames out.
#include <gtest/gtest.h>

#include "tests/scheduler/flow/test_stages.h"

namespace tandem {
namespace {

using Rules = std::vector<Intervals::Rule>;

constexpr int kStages = 4, kCores = 3;
constexpr uint32_t kAll = (1u << kStages) - 1;

class ExecutorIntervals : public ExecutorTest {
 protected:
  /// Under every configuration of one and two lanes.
  static void run(Executor& executor, Pump& pump) {
    for (const int lanes : {1, 2}) {
      for (const Configuration& configuration :
           all_configurations(kStages, kCores, kAll, std::span<const int>(&lanes, 1))) {
        executor.configure(configuration, configuration.threads == 1);
        pump.send(10);
      }
    }
    pump.stop();
  }
  /// That each stage has computed the frames that it did not leave out, and counts these.
  static void expect_what_is_due(const Executor& executor, const Pump& pump) {
    expect_all_in_order(pump);
    EXPECT_EQ(pump.failed_, 0);
    std::array<uint64_t, kStages> due{};
    uint64_t passed = 0;
    for (const TestItem& item : pump.items_) {
      for (int k = 0; k < kStages; ++k) {
        const bool computes = (item.left_out >> k & 1) == 0;
        ASSERT_EQ(item.finished[k], computes) << "item " << item.id << ", stage " << k;
        due[k] += computes;
      }
      ASSERT_EQ(item.times.left_out, item.left_out);
      ASSERT_EQ(item.device_stages & item.left_out, 0u);
      passed += item.left_out == kAll;
    }
    const ExecutorStats stats = executor.stats();
    for (int k = 0; k < kStages; ++k)
      EXPECT_EQ(stats.stages[k].cpu_frames + stats.stages[k].device_frames, due[k]);
    EXPECT_GT(passed, 0u);
    EXPECT_EQ(stats.frames_passed, passed);
    EXPECT_EQ(stats.frames,
              stats.frames_cpu + stats.frames_device + stats.frames_mixed + stats.frames_passed);
    EXPECT_EQ(stats.frames, static_cast<uint64_t>(pump.sent_));
  }

  const Intervals different_{Rules{{2}, {3}, {4}, {5}}};
};

TEST_F(ExecutorIntervals, EveryConfigurationComputesWhatIsDue) {
  auto executor = make(kStages, kCores);
  executor->set_period(different_.period());
  Pump pump(*executor);
  pump.intervals_ = different_;
  pump.fused_ = {.on_cores = 0b011, .on_device = 0b111};
  run(*executor, pump);
  expect_what_is_due(*executor, pump);
}

TEST_F(ExecutorIntervals, ASerialStageLetsFramesPassThatItLeavesOut) {
  for (const int serial : {0, 2, 3}) {
    auto executor = make(kStages, kCores, serial);
    Pump pump(*executor);
    pump.intervals_ = different_;
    run(*executor, pump);
    expect_what_is_due(*executor, pump);
    executor.reset();
    stages_.clear();
    pointers_.clear();
  }
}

TEST_F(ExecutorIntervals, RepeatedStagesAreComputedInAllRoundsOrInNone) {
  auto executor = make(kStages, kCores);
  Pump pump(*executor);
  pump.repeat_ = {1, 2, 3};
  pump.intervals_ = Intervals(Rules{{2}, {1, 1}, {3}, {5}}, pump.repeat_);
  run(*executor, pump);
  expect_what_is_due(*executor, pump);
}

TEST_F(ExecutorIntervals, WhatAFailedDeviceHadIsComputedOnceMore) {
  for (const int at : {0, 7, 40}) {
    world_.waits = 0;
    world_.fail_wait_at = at;
    auto executor = make(kStages, kCores, 3);
    Pump pump(*executor);
    pump.intervals_ = different_;
    executor->set_cpu_fallback(false);
    executor->configure({{7, kStages}, Granularity::coarse, 3, 2});
    pump.send(300);
    pump.stop();
    expect_what_is_due(*executor, pump);
    EXPECT_EQ(device_failures_, 1);
    device_failures_ = 0;
    executor.reset();
    stages_.clear();
    pointers_.clear();
  }
}

TEST_F(ExecutorIntervals, AFrameThatFailsLetsOthersThroughTheSerialStages) {
  auto executor = make(kStages, kCores, 2);
  world_.fail_item = 30;  // due in all stages
  Pump pump(*executor);
  pump.intervals_ = Intervals(Rules{{1}, {2, 1}, {3}, {5}});
  pump.send(100);
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 1);
  EXPECT_EQ(stages_[2]->next_, 100u);
}

TEST_F(ExecutorIntervals, AFrameThatNoStageComputesTellsNothingOfTheSource) {
  auto executor = make(2, 1);
  executor->configure({{0, 2}, Granularity::coarse, 1});
  Pump pump(*executor);
  pump.intervals_ = Intervals(Rules{{2}, {1, 1}});
  for (int i = 0; i < 20; ++i) {
    pump.send(1);
    executor->drain();
  }
  pump.stop();
  for (std::size_t i = 1; i < pump.items_.size(); i += 2)
    EXPECT_EQ(pump.items_[i].times.starved, pump.items_[i - 1].times.starved) << i;
}

}  // namespace
}  // namespace tandem
