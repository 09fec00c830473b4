// SPDX-License-Identifier: LGPL-2.1-or-later
// Stages that are fused where an item has them on one side.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/scheduler/flow/test_stages.h"

namespace tandem {
namespace {

constexpr int kStages = 5, kCores = 3;
constexpr uint32_t kAll = (1u << kStages) - 1;

TEST(FusedLength, HoldsWhatFollowsEachOther) {
  const StagePath path(8, {});
  EXPECT_EQ(path.fused_length(0, 0, 8), 1);
  EXPECT_EQ(path.fused_length(0b110, 0, 8), 1);
  EXPECT_EQ(path.fused_length(0b110, 1, 8), 3);
  EXPECT_EQ(path.fused_length(0b110, 2, 8), 2);
  EXPECT_EQ(path.fused_length(0b110, 1, 3), 2);
  EXPECT_EQ(path.fused_length(0b110, 1, 2), 1);
  EXPECT_EQ(path.fused_length(0b1111111, 0, 8), Fused::kMost);
}

TEST(FusedLength, HoldsNothingThatIsRepeated) {
  const Repeat repeat{2, 3, 2};
  const StagePath path(6, repeat);
  EXPECT_EQ(path.fused_length(0b11111, 0, 8), 2);
  EXPECT_EQ(path.fused_length(0b11111, 2, 8), 1);
  EXPECT_EQ(path.fused_length(0b11111, 5, 8), 1);
  EXPECT_EQ(path.fused_length(0b11111, 6, 8), 2);
}

class ExecutorFused : public ExecutorTest {
 protected:
  /// Under every configuration, timed apart or not.
  void run(Executor& executor, Pump& pump) {
    for (const Configuration& configuration : all_configurations(kStages, kCores, kAll)) {
      executor.configure(configuration, configuration.threads == 1);
      pump.send(12);
    }
    pump.stop();
    expect_all_in_order(pump);
    EXPECT_EQ(pump.failed_, 0);
  }
};

TEST_F(ExecutorFused, TheFirstIsAskedForAll) {
  auto executor = make(kStages, kCores);
  Pump pump(*executor);
  pump.fused_ = {.on_cores = 0b0011, .on_device = 0b1011};
  run(*executor, pump);
  const int most[kStages] = {3, 2, 1, 2, 1};
  for (int k = 0; k < kStages; ++k) EXPECT_EQ(stages_[k]->most_led_, most[k]) << k;
  for (const TestItem& item : pump.items_)
    for (int k = 0; k < kStages; ++k) EXPECT_EQ(item.finished[k], 1);
  const ExecutorStats stats = executor->stats();
  for (int k = 0; k < kStages; ++k) {
    const auto& stage = stats.stages[k];
    EXPECT_EQ(stage.cpu_frames + stage.device_frames, stats.frames);
    EXPECT_GT(stage.fused_frames, 0U);
    EXPECT_GT(stage.cpu_ns, 0U);
    EXPECT_GT(stage.device_ns, 0U);
  }
}

TEST_F(ExecutorFused, FusedStagesShareTheirTime) {
  auto executor = make(kStages, kCores);
  Pump pump(*executor);
  pump.fused_ = {.on_cores = 0b110, .on_device = 0b110};
  run(*executor, pump);
  for (const TestItem& item : pump.items_) {
    const auto& mapping = item.times.configuration.mapping;
    if (mapping.side(1) != mapping.side(2) || mapping.side(2) != mapping.side(3)) continue;
    EXPECT_EQ(item.fused_stages, 0b1110U);
    EXPECT_EQ(item.times.stage_ns[1], item.times.stage_ns[2]);
    EXPECT_EQ(item.times.stage_ns[2], item.times.stage_ns[3]);
  }
}

// What the device does not finish is computed again on the cores, where other stages are fused.
TEST_F(ExecutorFused, TheCoresGoOnWhenTheDeviceFails) {
  auto executor = make(kStages, kCores);
  Pump pump(*executor);
  pump.fused_ = {.on_cores = 0b1000, .on_device = 0b1111};
  world_.fail_wait_at = 6;
  executor->set_cpu_fallback(false);
  executor->configure({{kAll, kStages}, Granularity::coarse, kCores});
  pump.send(40);
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 0);
  EXPECT_EQ(device_failures_, 1);
  EXPECT_EQ(pump.items_.back().fused_stages, 0b11000U);
}

}  // namespace
}  // namespace tandem
