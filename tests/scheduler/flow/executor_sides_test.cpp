// SPDX-License-Identifier: LGPL-2.1-or-later
// A stage that no CPU can compute: its items wait for the device, and fail without one.
#include <gtest/gtest.h>

#include "tests/scheduler/flow/test_stages.h"

namespace tandem {
namespace {

constexpr int kStages = 4, kCores = 3;
constexpr uint32_t kAll = (1u << kStages) - 1;

class ExecutorSides : public ExecutorTest {};

TEST_F(ExecutorSides, TheDeviceComputesEveryItemUnderEveryConfiguration) {
  device_only_ = 1;
  auto executor = make(kStages, kCores, 2);
  Pump pump(*executor);
  for (const int lanes : {1, 2, 8}) {
    for (const Configuration& configuration :
         all_configurations(kStages, kCores, kAll, std::span<const int>(&lanes, 1))) {
      if (!configuration.mapping.on_device(device_only_)) continue;
      executor->configure(configuration);
      pump.send(30);
      expect_to_run(*executor, configuration);
    }
  }
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 0);
  const ExecutorStats stats = executor->stats();
  EXPECT_EQ(stats.stages[1].device_frames, stats.frames);
  EXPECT_EQ(stats.stages[1].cpu_frames, 0U);
  EXPECT_GT(stats.stages[0].cpu_frames, 0U);
  EXPECT_GT(stats.stages[0].device_frames, 0U);
}

TEST_F(ExecutorSides, AMappingThatHasItOnTheCoresPutsItOnTheDevice) {
  device_only_ = 2;
  auto executor = make(kStages, kCores);
  executor->configure({{0, kStages}, Granularity::coarse, 2});
  EXPECT_EQ(to_string(executor->configuration()), "ccgc/cg2");
}

TEST_F(ExecutorSides, TrainingTimesTheStagesBesideIt) {
  device_only_ = 1;
  auto executor = make(kStages, kCores);
  Pump pump(*executor);
  for (const uint32_t device : {2u, 3u, 15u}) {
    executor->configure({{device, kStages}, Granularity::coarse, kCores}, true);
    pump.send(30);
  }
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 0);
}

TEST_F(ExecutorSides, RepeatedStagesWaitInEachRound) {
  device_only_ = 2;
  auto executor = make(kStages, kCores);
  executor->configure({{4, kStages}, Granularity::coarse, 3, 2});
  Pump pump(*executor);
  pump.repeat_ = {1, 2, 4};
  pump.send(200);
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 0);
}

TEST_F(ExecutorSides, WithTheLastDeviceItsItemsFailAndSayWhy) {
  for (const int threads : {1, 2, 4}) {
    for (int wait = 0; wait < 10; ++wait) {
      World world;
      world.fail_wait_at = wait;
      TestDevice device(world);
      TestStage stages[] = {
          {world, 0}, {world, 1, false, true, false}, {world, 2, true}, {world, 3}};
      Executor executor({&stages[0], &stages[1], &stages[2], &stages[3]}, &device, kCores);
      executor.configure({{6, kStages}, Granularity::coarse, threads, 2});
      Pump pump(executor);
      pump.send(40);
      pump.stop();
      expect_all_in_order(pump);
      EXPECT_GE(pump.failed_, 20) << threads << " threads, wait " << wait;
      EXPECT_EQ(pump.items_.back().status.message(),
                "stage1 has no CPU implementation, and no OpenCL device is left to compute it.");
    }
  }
}

TEST_F(ExecutorSides, TheOtherDeviceTakesOverTheItemsOfOneThatFails) {
  for (const int threads : {1, 2, 4}) {
    World world;
    world.devices = 2;
    world.failing = 0;
    TestDevice device(world);
    TestStage stages[] = {{world, 0}, {world, 1, false, true, false}, {world, 2, true}, {world, 3}};
    Executor executor({&stages[0], &stages[1], &stages[2], &stages[3]}, &device, kCores);
    executor.configure({{2, kStages}, Granularity::coarse, threads, 2});
    Pump pump(executor);
    pump.send(200);
    pump.stop();
    expect_all_in_order(pump);
    EXPECT_EQ(pump.failed_, 0);
    EXPECT_EQ(executor.usable_devices(), 1);
    EXPECT_EQ(executor.stats().stages[1].device_frames, 200U);
  }
}

TEST_F(ExecutorSides, AStopReachesItemsThatWaitForALane) {
  device_only_ = 1;
  for (int i = 0; i < 20; ++i) {
    auto executor = make(kStages, kCores);
    executor->configure({{2, kStages}, Granularity::coarse, kCores});
    stop_amid(std::move(executor), 12, std::chrono::microseconds(100 * i));
  }
}

/// One stage on the cores, one that is for the device alone, which has one lane.
class DispatchSides : public testing::Test {
 protected:
  using Kind = Dispatch::Action::Kind;

  DispatchSides() { dispatch_.configure({{2, 2}, Granularity::coarse, 2}, 3, false); }

  /// The next item at the second stage, begun by worker 0.
  Dispatch::Entry& begin() {
    dispatch_.let_in(&items_[sent_++], 0);
    Dispatch::Entry& entry = *dispatch_.work_for(0, 1, {}).entry;
    const Dispatch::Action action = dispatch_.next(entry);
    EXPECT_EQ(action.kind, Kind::cpu);
    EXPECT_FALSE(dispatch_.did(entry, action, {}));
    return entry;
  }
  Dispatch::Entry& send() {
    Dispatch::Entry& entry = begin();
    const Dispatch::Action action = dispatch_.next(entry);
    EXPECT_EQ(action.kind, Kind::device);
    dispatch_.sent(entry, action, 1);
    return entry;
  }
  Dispatch::Entry& park() {
    Dispatch::Entry& entry = begin();
    EXPECT_EQ(dispatch_.next(entry).kind, Kind::park);
    EXPECT_TRUE(dispatch_.park(entry, 1));
    return entry;
  }

  Dispatch dispatch_{{{}, {.has_cpu = false}}, 2, true};
  std::vector<Item> items_ = std::vector<Item>(10);
  int sent_ = 0;
};

TEST_F(DispatchSides, WhoWaitsForALaneLeavesItsWorkerFree) {
  Dispatch::Entry& first = send();
  EXPECT_TRUE(dispatch_.work_for(1, 1, {}).collects);
  Dispatch::Entry& second = park();
  Dispatch::Entry& third = park();
  dispatch_.let_in(&items_[sent_++], 0);
  EXPECT_EQ(dispatch_.work_for(0, 1, {}).entry, nullptr) << "as many wait as there are workers";

  dispatch_.leave_device(first, 2);
  EXPECT_EQ(dispatch_.work_for(0, 2, {}).entry, &second) << "the oldest";
  EXPECT_EQ(dispatch_.next(second).kind, Kind::device);
  EXPECT_EQ(third.state, Dispatch::State::parked);
}

TEST_F(DispatchSides, ALaneThatIsFreedMeanwhileIsTakenAtOnce) {
  Dispatch::Entry& first = send();
  EXPECT_TRUE(dispatch_.work_for(1, 1, {}).collects);
  Dispatch::Entry& second = begin();
  EXPECT_EQ(dispatch_.next(second).kind, Kind::park);
  dispatch_.leave_device(first, 2);
  EXPECT_FALSE(dispatch_.park(second, 2));
  EXPECT_EQ(dispatch_.next(second).kind, Kind::device);
}

TEST_F(DispatchSides, WithTheLastDeviceAllThatWaitGoOn) {
  Dispatch::Entry& first = send();
  EXPECT_TRUE(dispatch_.work_for(1, 1, {}).collects);
  park();
  park();
  dispatch_.leave_device(first, 2);
  EXPECT_TRUE(dispatch_.did(first, first.sent, Status::device_failed("as the test wants")));
  for (int i = 0; i < 2; ++i) {
    Dispatch::Entry* entry = dispatch_.work_for(0, 2, {}).entry;
    ASSERT_NE(entry, nullptr);
    EXPECT_EQ(dispatch_.next(*entry).kind, Kind::cpu) << "where it fails";
  }
}

}  // namespace
}  // namespace tandem
