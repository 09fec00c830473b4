// SPDX-License-Identifier: LGPL-2.1-or-later
// Several items on the device at a time.
#include <gtest/gtest.h>

#include "tests/scheduler/test_stages.h"

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
      EXPECT_EQ(to_string(executor->configuration()), to_string(configuration));
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

}  // namespace
}  // namespace tandem
