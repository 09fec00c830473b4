// SPDX-License-Identifier: LGPL-2.1-or-later
// Serial stages: frames pass them one at a time, in the order of the stream.
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/scheduler/flow/test_stages.h"

namespace tandem {
namespace {

using ExecutorSerial = ExecutorTest;

TEST_F(ExecutorSerial, ASerialStageSeesFramesInOrder) {
  auto executor = make(4, 3, 2);
  Pump pump(*executor);
  for (const Configuration& configuration : all_configurations(4, 3, 15)) {
    executor->configure(configuration);
    pump.send(10);
  }
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(stages_[2]->next_, static_cast<uint64_t>(pump.sent_));
  EXPECT_EQ(pump.failed_, 0);
}

// It can do nothing before its turn, and the rate at which frames begin is what training measures.
TEST_F(ExecutorSerial, OneFrameWaitsForItsTurnAtASerialFirstStage) {
  auto executor = make(3, 3, 0);
  executor->configure({{0, 3}, Granularity::coarse, 3});
  world_.held = 1;
  Pump pump(*executor);
  pump.send(5);
  while (pump.items_[1].waited_at != 0) std::this_thread::yield();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(executor->stats().in_flight, 5);
  for (std::size_t i = 2; i < 5; ++i) EXPECT_EQ(pump.items_[i].waited_at, -1) << i;
  world_.held = 0;
  pump.send(200);
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(stages_[0]->next_, 205u);
}

TEST_F(ExecutorSerial, AFrameThatWaitsForItsTurnKeepsNoThread) {
  auto executor = make(3, 2, 2);
  executor->configure({{0, 3}, Granularity::coarse, 2});
  world_.held = 1;
  Pump pump(*executor);
  pump.send(10);
  // The other thread gets all of them as far as they can go.
  while (world_.passed < 9) std::this_thread::yield();
  EXPECT_EQ(stages_[2]->next_, 0u);
  world_.held = 0;
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(stages_[2]->next_, 10u);
  for (const TestItem& item : pump.items_)
    EXPECT_LE(item.times.waited_ns, item.times.end_ns - item.times.begin_ns);
  EXPECT_GT(pump.items_[1].times.waited_ns, 0u);
  EXPECT_EQ(pump.items_[1].waited_at, 2);
}

TEST_F(ExecutorSerial, AFrameThatFailsAfterItWaitedOpensAllGates) {
  // Stages 1 and 2 are serial and passed twice: who is in the second has not left the first.
  TestStage stages[] = {{world_, 0}, {world_, 1, true}, {world_, 2, true}};
  Executor executor({&stages[0], &stages[1], &stages[2]}, &device_, 3);
  executor.configure({{0, 3}, Granularity::coarse, 4});
  world_.fail_item = 1;
  world_.fails_in = 2;
  world_.held = 1;
  world_.held_in = 2;
  Pump pump(executor);
  pump.repeat_ = {1, 2, 2};
  pump.send(3);
  while (pump.items_[1].waited_at != 2) std::this_thread::yield();
  world_.held = 0;
  pump.send(20);
  pump.stop();
  expect_all_in_order(pump);
  EXPECT_EQ(pump.failed_, 1);
}

}  // namespace
}  // namespace tandem
