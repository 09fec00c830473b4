// SPDX-License-Identifier: LGPL-2.1-or-later
// Several items on the device at a time.
#include <gtest/gtest.h>

#include "tests/scheduler/flow/test_stages.h"

namespace tandem {
namespace {

class ExecutorLanes : public ExecutorTest {};

TEST_F(ExecutorLanes, EveryNumberOfLanesDeliversEveryItemInOrder) {
  auto executor = make(4, 3, 2);
  Pump pump(*executor);
  for (const int lanes : {2, 3, 8}) {
    for (const Configuration& configuration :
         all_configurations(4, 3, 15, std::span<const int>(&lanes, 1))) {
      executor->configure(configuration);
      pump.send(30);
      expect_to_run(*executor, configuration);
    }
  }
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 0);
  EXPECT_EQ(stages_[2]->next_, static_cast<uint64_t>(pump.sent_));
}

TEST_F(ExecutorLanes, OneThreadKeepsAllLanesFull) {
  auto executor = make(3, 2);
  executor->configure({{7, 3}, Granularity::coarse, 1, 4});
  Pump pump(*executor);
  pump.send(200);
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(executor->stats().frames_device, 200u);
  EXPECT_EQ(world_.most_sent, 4);
}

TEST_F(ExecutorLanes, NoItemIsLostWhicheverWaitFailsWithLanesFull) {
  for (const int lanes : {1, 2, 4}) {
    for (int wait = 0; wait < 14; ++wait) {
      World world;
      world.fail_wait_at = wait;
      TestDevice device(world);
      TestStage stages[] = {{world, 0}, {world, 1}, {world, 2, true}, {world, 3}};
      Executor executor({&stages[0], &stages[1], &stages[2], &stages[3]}, &device, 2);
      executor.configure({{11, 4}, Granularity::coarse, 3, lanes});
      Pump pump(executor);
      pump.send(60);
      pump.stop();
      expect_all_in_order(pump);
      EXPECT_EQ(pump.failed_, 0) << lanes << " lanes, wait " << wait;
    }
  }
}

TEST(DispatchLanes, AnItemGoesToTheDeviceWithTheMostFreeLanes) {
  Dispatch dispatch({{}, {}}, 4, true);
  dispatch.configure({{3, 2}, Granularity::coarse, 1, 4}, {~0u, 2}, false);
  std::vector<Item> items(20);
  std::vector<Dispatch::Entry*> sent;
  const auto send = [&] {
    dispatch.let_in(&items[sent.size()], 0);
    Dispatch::Entry* entry = dispatch.work_for(0, 1, {}).entry;
    const Dispatch::Action action = dispatch.next(*entry);
    EXPECT_EQ(action.kind, Dispatch::Action::Kind::device);
    dispatch.sent(*entry, action, 1);
    sent.push_back(entry);
    return entry->lane % 2;
  };
  for (int i = 0; i < 6; ++i) EXPECT_EQ(send(), i % 2) << i;
  for (const int i : {1, 3, 5}) dispatch.leave_device(*sent[i], 2);  // all that device 1 has
  for (int i = 0; i < 3; ++i) EXPECT_EQ(send(), 1) << "device 0 has three";
  EXPECT_EQ(send() + send(), 1) << "one each";
}

TEST(DispatchLanes, WhatIsOnTheDeviceComesOutWhenTheCoresGoOnAlone) {
  Dispatch dispatch({{}, {}}, 2, true);
  dispatch.configure({{3, 2}, Granularity::coarse, 1, 4}, ~0u, false);
  Item items[2];
  dispatch.let_in(&items[0], 0);
  Dispatch::Entry* first = dispatch.work_for(0, 1, {}).entry;
  dispatch.sent(*first, dispatch.next(*first), 1);
  dispatch.configure({{0, 2}, Granularity::coarse, 1}, ~0u, false);
  dispatch.let_in(&items[1], 0);
  const Dispatch::Work work = dispatch.work_for(0, 2, {});
  EXPECT_EQ(work.entry, first) << "all others would wait for it";
  EXPECT_TRUE(work.collects);
}

/// An item is on the cores, and another one comes after a device has joined.
class DispatchJoins : public testing::Test {
 protected:
  DispatchJoins() {
    dispatch_.configure({{0, 2}, Granularity::coarse, 2}, 0, false);
    dispatch_.let_in(&items_[0], 0);
    first_ = dispatch_.work_for(0, 1, {}).entry;
    EXPECT_EQ(dispatch_.next(*first_).kind, Dispatch::Action::Kind::cpu);
  }
  Dispatch::Entry* next_when_it_joins(int threads, bool time_stages) {
    dispatch_.configure({{3, 2}, Granularity::coarse, threads}, ~0u, time_stages);
    dispatch_.let_in(&items_[1], 0);
    return dispatch_.work_for(1, 2, {}).entry;
  }

  Dispatch dispatch_{{{}, {}}, 2, true};
  Item items_[2];
  Dispatch::Entry* first_ = nullptr;
};

TEST_F(DispatchJoins, TheFirstDeviceWhileTheCoresAreAtWork) {
  Dispatch::Entry* second = next_when_it_joins(2, false);
  ASSERT_NE(second, nullptr) << "it waits for the one on the cores";
  EXPECT_EQ(dispatch_.next(*second).kind, Dispatch::Action::Kind::device);
  EXPECT_EQ(dispatch_.next(*first_).kind, Dispatch::Action::Kind::cpu) << "it stays where it began";
}

TEST_F(DispatchJoins, ADeviceThatIsTimedAloneAfterTheCores) {
  EXPECT_EQ(next_when_it_joins(1, true), nullptr);
}

TEST(DispatchLanes, AnotherDeviceWaitsForWhatIsOnTheFirst) {
  Dispatch dispatch({{}, {}}, 2, true);
  dispatch.configure({{3, 2}, Granularity::coarse, 2}, ~0u, false);
  Item items[2];
  dispatch.let_in(&items[0], 0);
  Dispatch::Entry* first = dispatch.work_for(0, 1, {}).entry;
  dispatch.sent(*first, dispatch.next(*first), 1);
  dispatch.configure({{3, 2}, Granularity::coarse, 2}, {~0u, 2}, false);
  dispatch.let_in(&items[1], 0);
  EXPECT_EQ(dispatch.work_for(1, 2, {}).entry, first) << "collects";
}

TEST_F(ExecutorLanes, DevicesOfOneKindShareTheItems) {
  for (const int threads : {1, 2, 3}) {
    World world;
    world.devices = 3;
    TestDevice device(world);
    TestStage stages[] = {{world, 0}, {world, 1}, {world, 2}};
    Executor executor({&stages[0], &stages[1], &stages[2]}, &device, 2);
    executor.configure({{7, 3}, Granularity::coarse, threads, 2});
    Pump pump(executor);
    pump.send(300);
    pump.stop();
    expect_all_in_order(pump);
    EXPECT_EQ(executor.stats().frames_device, 300u) << threads << " threads: each serves a device";
    for (int d = 0; d < 3; ++d) EXPECT_GT(world.frames_on[d], 0) << d;
    EXPECT_LE(world.most_sent, 6);
  }
}

// Every number of commands of the first before the other fails as well.
TEST_F(ExecutorLanes, NoItemIsLostWhicheverDeviceFails) {
  for (const int lanes : {1, 2, 4}) {
    for (const int failing : {0, 1}) {
      World world;
      world.devices = 2;
      TestDevice device(world);
      TestStage stages[] = {{world, 0}, {world, 1}, {world, 2, true}, {world, 3}};
      std::atomic<int> calls{0}, left{-1};
      Executor executor({&stages[0], &stages[1], &stages[2], &stages[3]}, &device, 2,
                        [&](const std::string&, int others) {
                          ++calls;
                          left = others;
                        });
      const Configuration c{{11, 4}, Granularity::coarse, 3, lanes};
      executor.configure(c);
      Pump pump(executor);
      pump.send(40);
      world.failing = failing;
      pump.send(60);
      executor.drain();
      EXPECT_EQ(calls, 1);
      EXPECT_EQ(left, 1);
      EXPECT_EQ(to_string(executor.configuration()), to_string(c)) << "the other goes on";
      const int before = world.frames_on[failing];
      pump.send(20);
      executor.drain();
      EXPECT_EQ(world.frames_on[failing], before) << "its lanes are gone";
      executor.configure({{15, 4}, Granularity::medium, 3, lanes});
      pump.send(20);
      world.failing = 1 - failing;
      pump.send(40);
      pump.stop();
      expect_all_in_order(pump);
      EXPECT_EQ(pump.failed_, 0);
      EXPECT_EQ(calls, 2);
      EXPECT_EQ(left, 0);
      EXPECT_FALSE(executor.configuration().mapping.any_device());
    }
  }
}

}  // namespace
}  // namespace tandem
