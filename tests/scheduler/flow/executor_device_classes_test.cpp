// SPDX-License-Identifier: LGPL-2.1-or-later
// Devices of several kinds: a letter each.
#include <gtest/gtest.h>

#include "tests/scheduler/flow/test_stages.h"

namespace tandem {
namespace {

constexpr int kStages = 3, kCores = 3;

Mapping mapping_of(const char* text, int stages = kStages) {
  Mapping mapping;
  EXPECT_EQ(parse_mapping(text, stages, mapping, kMaxLetters), "");
  return mapping;
}

class ExecutorLetters : public ExecutorTest {
 protected:
  /// One device a number: its kind.
  void has_kinds(std::initializer_list<int> kinds) {
    world_.devices = static_cast<int>(kinds.size());
    std::ranges::copy(kinds, world_.kind.begin());
  }
  std::array<int, kMaxDevices> frames_on() const {
    std::array<int, kMaxDevices> frames{};
    std::ranges::copy(world_.frames_on, frames.begin());
    return frames;
  }
};

TEST_F(ExecutorLetters, EveryConfigurationPassesEveryItemOnceAndInOrder) {
  has_kinds({0, 0, 1});
  auto executor = make(kStages, kCores, 1);
  Pump pump(*executor);
  for (const bool fallback : {true, false}) {
    executor->set_cpu_fallback(fallback);
    for (const int lanes : {1, 2, 4}) {
      for (const Configuration& configuration :
           all_configurations(kStages, kCores, 7, std::span<const int>(&lanes, 1), 2)) {
        executor->configure(configuration);
        pump.send(20);
      }
    }
  }
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 0);
  const ExecutorStats stats = executor->stats();
  for (int k = 0; k < kStages; ++k) {
    EXPECT_GT(stats.stages[k].device_frames, 0U);
    EXPECT_GT(stats.stages[k].cpu_frames, 0U);
  }
}

TEST_F(ExecutorLetters, EachLetterGetsItsStages) {
  for (const int threads : {1, 2, 4}) {
    for (const int lanes : {1, 2, 4}) {
      World world;
      world.devices = 4;
      world.kind = {0, 0, 1, 2};
      TestDevice device(world);
      TestStage stages[] = {{world, 0}, {world, 1}, {world, 2}};
      Executor executor({&stages[0], &stages[1], &stages[2]}, &device, kCores);
      executor.set_cpu_fallback(false);
      executor.configure({mapping_of("ghi"), Granularity::coarse, threads, lanes});
      Pump pump(executor);
      pump.send(100);
      pump.stop();
      expect_all_in_order(pump);
      EXPECT_EQ(world.frames_on[0] + world.frames_on[1], 100);
      EXPECT_EQ(world.frames_on[2], 100);
      EXPECT_EQ(world.frames_on[3], 100);
      EXPECT_EQ(executor.stats().frames_device, 100U);
    }
  }
}

TEST_F(ExecutorLetters, LettersWithoutADeviceAndSerialStagesOfOneGoToTheOthers) {
  has_kinds({0, 1});
  auto executor = make(4, kCores, 2);
  executor->configure({mapping_of("ihhg", 4), Granularity::coarse, 2});
  EXPECT_EQ(to_string(executor->configuration()), "chcg/cg2");
}

TEST_F(ExecutorLetters, AnItemThatNoCpuCanComputeWaitsForItsLetter) {
  has_kinds({0, 1});
  device_only_ = 1;
  for (const char* text : {"ghg", "chc", "hgh", "hhc"}) {
    auto executor = make(kStages, kCores);
    Pump pump(*executor);
    for (const int threads : {1, 2, 4}) {
      executor->configure({mapping_of(text), Granularity::coarse, threads, 2});
      pump.send(60);
    }
    pump.stop();
    expect_all_in_order(pump);
    EXPECT_EQ(pump.failed_, 0);
    EXPECT_EQ(executor->stats().stages[1].device_frames, 180U) << text;
    executor.reset();
    stages_.clear();
    pointers_.clear();
  }
}

TEST_F(ExecutorLetters, RepeatedStagesGoFromLetterToLetter) {
  has_kinds({0, 1});
  for (const bool fallback : {true, false}) {
    auto executor = make(4, kCores);
    executor->set_cpu_fallback(fallback);
    executor->configure({mapping_of("cghg", 4), Granularity::coarse, 3, 2});
    Pump pump(*executor);
    pump.repeat_ = {1, 2, 4};
    pump.send(100);
    pump.stop();
    expect_all_in_order(pump);
    EXPECT_EQ(pump.failed_, 0);
    executor.reset();
    stages_.clear();
    pointers_.clear();
  }
}

/// A device that fails at every wait, while items are on all lanes of all letters.
class ALetterFails : public ExecutorLetters {
 protected:
  void expect_the_others_go_on(int failing, const char* text, const char* expected) {
    for (const int lanes : {1, 2, 4}) {
      for (const int threads : {1, 2, 4}) {
        for (const bool fallback : {true, false}) {
          SCOPED_TRACE(std::string(text) + "/cg" + std::to_string(threads) + "/q" +
                       std::to_string(lanes) + " device " + std::to_string(failing));
          World world;
          world.devices = 2;
          world.kind = {0, 1};
          world.failing = failing;
          TestDevice device(world);
          TestStage stages[] = {{world, 0}, {world, 1}, {world, 2}};
          std::atomic<int> failures{0}, left{-1};
          Executor executor({&stages[0], &stages[1], &stages[2]}, &device, kCores,
                            [&](const std::string&, int devices) {
                              ++failures;
                              left = devices;
                            });
          executor.set_cpu_fallback(fallback);
          executor.configure({mapping_of(text), Granularity::coarse, threads, lanes});
          Pump pump(executor);
          pump.send(100);
          pump.stop();
          expect_all_in_order(pump);
          EXPECT_EQ(pump.failed_, 0);
          EXPECT_EQ(failures, 1);
          EXPECT_EQ(left, 1);
          EXPECT_EQ(executor.usable_devices(failing), 0);
          EXPECT_EQ(executor.usable_devices(1 - failing), 1);
          EXPECT_EQ(to_string(executor.configuration().mapping), expected);
        }
      }
    }
  }
};

TEST_F(ALetterFails, TheFirst) {
  expect_the_others_go_on(0, "ghg", "chc");
  expect_the_others_go_on(0, "gch", "cch");
}
TEST_F(ALetterFails, TheSecond) {
  expect_the_others_go_on(1, "ghg", "gcg");
  expect_the_others_go_on(1, "hcg", "ccg");
  expect_the_others_go_on(1, "hhh", "ccc");
}

TEST_F(ALetterFails, WhatNoCpuCanComputeGoesToTheOther) {
  for (const int threads : {1, 2, 4}) {
    World world;
    world.devices = 2;
    world.kind = {0, 1};
    world.failing = 1;
    TestDevice device(world);
    TestStage stages[] = {{world, 0}, {world, 1, false, true, false}, {world, 2}};
    Executor executor({&stages[0], &stages[1], &stages[2]}, &device, kCores);
    executor.configure({mapping_of("chc"), Granularity::coarse, threads, 2});
    Pump pump(executor);
    pump.send(200);
    pump.stop();
    expect_all_in_order(pump);
    EXPECT_EQ(pump.failed_, 0);
    EXPECT_EQ(to_string(executor.configuration().mapping), "cgc");
    EXPECT_EQ(executor.stats().stages[1].device_frames, 200U);
  }
}

TEST_F(ALetterFails, TheLettersBehindItMoveUpWithTheNextConfiguration) {
  has_kinds({0, 1});
  world_.failing = 0;
  auto executor = make(kStages, kCores);
  executor->configure({mapping_of("ggg"), Granularity::coarse, 2, 2});
  Pump pump(*executor);
  pump.send(50);
  executor->drain();
  EXPECT_EQ(to_string(executor->configuration().mapping), "ccc");
  const int before = frames_on()[1];
  executor->configure({mapping_of("ggg"), Granularity::coarse, 2, 2});
  pump.send(50);
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(to_string(executor->configuration().mapping), "ggg");
  EXPECT_EQ(device_failures_, 1);
  EXPECT_EQ(before, 0);
  EXPECT_GT(frames_on()[1], 0);
}

TEST_F(ExecutorLetters, AStopReachesItemsOnAllLanesAndThoseThatWait) {
  has_kinds({0, 1});
  for (int i = 0; i < 20; ++i) {
    auto executor = make(kStages, kCores);
    executor->set_cpu_fallback(i % 2 == 0);
    executor->configure({mapping_of("ghg"), Granularity::coarse, 1 + i % 4, 1 << i % 3});
    stop_amid(std::move(executor), 40, std::chrono::microseconds(50 * i));
  }
}

}  // namespace
}  // namespace tandem
