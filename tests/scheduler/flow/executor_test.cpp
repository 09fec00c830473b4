// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <deque>
#include <random>

#include "tests/scheduler/flow/test_stages.h"

namespace tandem {
namespace {

TEST_F(ExecutorTest, EveryConfigurationDeliversEveryItemInOrder) {
  auto executor = make(3, 3);
  Pump pump(*executor);
  for (const Configuration& configuration : all_configurations(3, 3, 7)) {
    executor->configure(configuration);
    pump.send(20);
    expect_to_run(*executor, configuration);
  }
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 0);
  const ExecutorStats stats = executor->stats();
  EXPECT_EQ(stats.frames, static_cast<uint64_t>(pump.sent_));
  EXPECT_EQ(stats.frames, stats.frames_cpu + stats.frames_device + stats.frames_mixed);
  for (int k = 0; k < 3; ++k)
    EXPECT_EQ(stats.stages[k].cpu_frames + stats.stages[k].device_frames, stats.frames);
}

TEST_F(ExecutorTest, OneThreadWithAllStagesOnTheDeviceIsHomogeneous) {
  auto executor = make(3, 2);
  executor->configure({{7, 3}, Granularity::coarse, 1});
  Pump pump(*executor);
  pump.send(50);
  pump.stop();
  EXPECT_EQ(executor->stats().frames_device, 50u);
}

// Frame 0 is held in the first stage while the others pass: they are ready when it is done.
TEST_F(ExecutorTest, AFrameIsReadyWhenAllBeforeItAreDone) {
  auto executor = make(3, 2);
  executor->configure({{0, 3}, Granularity::coarse, 2});
  world_.held = 1;
  Pump pump(*executor);
  pump.send(10);
  while (world_.passed < 9) std::this_thread::yield();
  world_.held = 0;
  pump.stop();
  uint64_t latest_ns = 0;
  for (const TestItem& item : pump.items_) {
    latest_ns = std::max(latest_ns, item.times.end_ns);
    EXPECT_GE(item.times.ready_ns, latest_ns);
    EXPECT_LE(item.times.came_ns, item.times.let_in_ns);
    EXPECT_LE(item.times.let_in_ns, item.times.begin_ns);
  }
  EXPECT_GE(pump.items_[1].times.ready_ns, pump.items_[0].times.end_ns);
}

TEST_F(ExecutorTest, TimesStagesApartWhenAsked) {
  auto executor = make(3, 2);
  executor->configure({{7, 3}, Granularity::coarse, 1}, true);
  Pump pump(*executor);
  pump.send(20);
  pump.stop();
  EXPECT_EQ(world_.waits, 20 * 9) << "each stage, and its outputs there and back";
  for (const TestItem& item : pump.items_) {
    EXPECT_EQ(item.copies[1], 3);
    EXPECT_EQ(item.copies[0], 3);
    EXPECT_LE(item.times.stage_ns[0] + item.times.stage_ns[1] + item.times.stage_ns[2],
              item.times.end_ns - item.times.begin_ns);
    EXPECT_GT(item.times.stage_ns[2], 0u);
  }
  EXPECT_EQ(executor->stats().frames_device, 20u);
}

TEST_F(ExecutorTest, AFrameIsAllOnOneSideUnderADecoupledMapping) {
  auto executor = make(3, 3);
  executor->configure({{7, 3}, Granularity::coarse, 4});
  Pump pump(*executor);
  pump.send(300);
  pump.stop();
  const ExecutorStats stats = executor->stats();
  EXPECT_EQ(stats.frames_mixed, 0u);
  EXPECT_EQ(stats.frames_cpu + stats.frames_device, 300u);
}

TEST_F(ExecutorTest, ASourceIsStarvingWhenThreadsWaitForIt) {
  auto executor = make(1, 4);
  executor->configure({{0, 1}, Granularity::coarse, 4});
  Pump pump(*executor);
  world_.held = 100;
  std::thread source([&] { pump.send(10); });
  while (executor->stats().in_flight < 8) std::this_thread::yield();  // four begun, four behind
  world_.held = 0;
  source.join();
  executor->drain();
  for (int i = 4; i < 8; ++i) EXPECT_FALSE(pump.items_[i].times.starved) << i;
  int starved = 0;
  for (int i = 0; i < 20; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));  // many times what a frame takes
    pump.send(1);
    executor->drain();
    starved += pump.items_.back().times.starved ? 1 : 0;
  }
  EXPECT_GE(starved, 10) << "but for those behind a frame that lost its core";
}

TEST_F(ExecutorTest, AFrameKeepsTheCoresFromStageToStage) {
  auto executor = make(5, 2);
  executor->configure({{1, 5}, Granularity::medium, 1});
  world_.medium = true;
  Pump pump(*executor);
  pump.send(2000);
  pump.stop();
  expect_all_in_order(pump);
  std::vector<int>& ids = world_.on_cores;
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  EXPECT_EQ(static_cast<int>(ids.size()), pump.sent_) << "frames were interrupted by others";
}

TEST_F(ExecutorTest, AStageWithoutADeviceIsNeverMappedToIt) {
  auto executor = make(3, 2, -1, 1);
  executor->configure({{7, 3}, Granularity::coarse, 2});
  EXPECT_EQ(to_string(executor->configuration()), "gcg/cg2");
}

TEST_F(ExecutorTest, ThreadsAreClamped) {
  auto executor = make(2, 2);
  executor->configure({{0, 2}, Granularity::coarse, 99});
  EXPECT_EQ(to_string(executor->configuration()), "cc/cg3");
  executor->configure({{0, 2}, Granularity::coarse, 0});
  EXPECT_EQ(to_string(executor->configuration()), "cc/cg1");
}

// Where the producer stops by itself when nobody takes anything out.
int fill(Executor& executor, World& world, int expected) {
  std::deque<TestItem> items(100);
  for (int i = 0; i < 100; ++i) items[i].id = i;
  std::atomic<int> submitted{0};
  std::thread producer([&] {
    for (TestItem& item : items) {
      if (!executor.submit(&item)) return;
      ++submitted;
    }
  });
  while (executor.stats().in_flight < expected) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // for one too many
  executor.abort();
  producer.join();
  world.held = 0;
  int taken = 0;
  for (; executor.take(); ++taken) executor.release();
  EXPECT_EQ(taken, submitted);
  executor.resume();
  return taken;
}

TEST_F(ExecutorTest, AWindowOfFramesMayWaitForASlowerOneAndAQuarterForTheSink) {
  auto executor = make(2, 2);
  executor->set_window(40);
  EXPECT_EQ(executor->window(), 40);
  executor->configure({{0, 2}, Granularity::coarse, 2});
  // A thread that lost its core keeps those behind its item from counting as done.
  int filled = 100;
  for (int i = 0; i < 20 && filled > 14; ++i) filled = fill(*executor, world_, 10);
  EXPECT_LE(filled, 14) << "all are done, but those of the threads";
  world_.held = 1;
  EXPECT_EQ(fill(*executor, world_, 40), 40) << "the first is not";
  executor->set_window(8);
  EXPECT_LE(fill(*executor, world_, 6), 8) << "what the threads need all the same";
}

TEST_F(ExecutorTest, TheWindowIsClamped) {
  auto executor = make(2, 2);
  executor->set_window(0);
  EXPECT_EQ(executor->window(), 6);
  executor->set_window(1 << 20);
  EXPECT_EQ(executor->window(), Executor::kMaxWindow);
}

// Until so many are finished, but for five seconds at most.
uint64_t wait_for_frames(const Executor& executor, uint64_t frames) {
  for (int ms = 0; ms < 5000 && executor.stats().frames < frames; ++ms)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return executor.stats().frames;
}

TEST_F(ExecutorTest, MediumGrainWaitsForWhatIsUnderWayAndNoLonger) {
  auto executor = make(2, 2);
  executor->configure({{0, 2}, Granularity::coarse, 2});
  world_.held = 2;
  Pump pump(*executor);
  pump.send(4);
  while (executor->stats().in_flight < 2) std::this_thread::yield();  // two are behind
  executor->configure({{0, 2}, Granularity::medium, 3});
  EXPECT_EQ(to_string(executor->configuration()), "cc/cg2");
  world_.held = 1;
  EXPECT_EQ(wait_for_frames(*executor, 1), 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // for one too many
  EXPECT_EQ(executor->stats().frames, 1u) << "a thread that is free takes none of those behind";
  world_.held = 0;
  pump.stop();
  expect_all_in_order(pump);
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(to_string(pump.items_[i].times.configuration), i < 2 ? "cc/cg2" : "cc/mg") << i;
}

TEST_F(ExecutorTest, OtherThreadsBeginBesideWhatIsUnderWay) {
  auto executor = make(2, 2);
  executor->configure({{0, 2}, Granularity::coarse, 1});
  world_.held = 1;
  Pump pump(*executor);
  pump.send(1);
  while (executor->stats().in_flight < 1) std::this_thread::yield();
  executor->configure({{0, 2}, Granularity::coarse, 2});
  EXPECT_EQ(to_string(executor->configuration()), "cc/cg2");
  pump.send(3);
  EXPECT_EQ(wait_for_frames(*executor, 3), 3u) << "all but the one that is held";
  world_.held = 0;
  pump.stop();
  expect_all_in_order(pump);
}

TEST_F(ExecutorTest, AConfigurationThatIsTakenBackLetsThreadsGoOn) {
  auto executor = make(2, 2);
  const Configuration two{{0, 2}, Granularity::coarse, 2};
  executor->configure(two);
  world_.held = 2;
  Pump pump(*executor);
  pump.send(4);
  while (executor->stats().in_flight < 2) std::this_thread::yield();  // two are behind
  executor->configure({{0, 2}, Granularity::medium, 3});
  world_.held = 1;
  EXPECT_EQ(wait_for_frames(*executor, 1), 1u);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the second thread waits for it
  executor->configure(two);
  EXPECT_EQ(wait_for_frames(*executor, 3), 3u) << "all but the one that is held";
  world_.held = 0;
  pump.stop();
  expect_all_in_order(pump);
}

TEST_F(ExecutorTest, SaysHowLongASlowSinkHeldAnItemBack) {
  auto executor = make(2, 2);
  executor->set_window(40);
  std::deque<TestItem> items(60);
  std::thread sink([&] {
    while (executor->take()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      executor->release();
    }
  });
  for (TestItem& item : items) ASSERT_TRUE(executor->submit(&item));
  executor->drain();
  executor->abort();
  sink.join();
  uint64_t held_ns = 0;
  for (const TestItem& item : items) held_ns += item.times.held_ns;
  EXPECT_EQ(items[0].times.held_ns, 0u);
  EXPECT_GE(held_ns, 100'000'000u) << "of 5 ms for each of those that find ten or more waiting";
}

TEST_F(ExecutorTest, ConfiguresFromAnotherThreadWhileItemsFlow) {
  auto executor = make(3, 3);
  Pump pump(*executor);
  std::atomic<bool> done{false};
  std::thread tuner([&] {
    std::mt19937 random(7);
    const auto all = all_configurations(3, 3, 7);
    while (!done) {
      executor->configure(all[random() % all.size()]);
      std::this_thread::yield();
    }
  });
  pump.send(2000);
  done = true;
  tuner.join();
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 0);
}

TEST_F(ExecutorTest, WhenTheDeviceFailsTheCpuComputesTheFrameAgain) {
  auto executor = make(3, 2);
  world_.fail_wait_at = 5;
  executor->configure({{5, 3}, Granularity::coarse, 3});
  Pump pump(*executor);
  while (device_failures_ == 0) pump.send(10);
  pump.send(10);
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 0);
  EXPECT_EQ(device_failures_, 1);
  EXPECT_EQ(executor->configuration().mapping.device_stages(), 0u);
  executor->configure({{7, 3}, Granularity::coarse, 3});
  EXPECT_EQ(executor->configuration().mapping.device_stages(), 0u) << "a failed device stays out";
}

TEST_F(ExecutorTest, AFailedFrameIsReportedAndHoldsNobodyUp) {
  auto executor = make(4, 3, 2);
  world_.fail_item = 10;
  Pump pump(*executor);
  pump.send(40);
  executor->drain();
  EXPECT_EQ(pump.failed_, 1);
  EXPECT_FALSE(pump.items_[10].status.ok());
  EXPECT_EQ(pump.received_.size(), 40u);
}

TEST_F(ExecutorTest, AbortWakesEverybodyAndResumeStartsAfresh) {
  auto executor = make(4, 2, 2);
  for (int round = 0; round < 20; ++round) {
    std::deque<TestItem> items(200);
    std::thread producer([&] {
      for (TestItem& item : items)
        if (!executor->submit(&item)) return;
    });
    for (int i = 0; i < round; ++i) {
      ASSERT_NE(executor->take(), nullptr);
      executor->release();
    }
    executor->abort();
    producer.join();
    while (executor->take()) executor->release();
    EXPECT_EQ(executor->stats().in_flight, 0);
    executor->resume();
    // The aborted frames never came to the serial stage, which must let the next one through.
    TestItem next;
    ASSERT_TRUE(executor->submit(&next));
    ASSERT_EQ(executor->take(), &next);
    EXPECT_TRUE(next.status.ok());
    executor->release();
  }
}

}  // namespace
}  // namespace tandem
