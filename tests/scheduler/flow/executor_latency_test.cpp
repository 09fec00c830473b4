// SPDX-License-Identifier: LGPL-2.1-or-later
// What the executor tells of how long frames take from pad to pad, and frames that begin one by
// one.
#include "tests/scheduler/flow/test_stages.h"

namespace tandem {
namespace {

class ExecutorLatencyTest : public ExecutorTest {};

TEST_F(ExecutorLatencyTest, TheLatencyOfAFrameThatIsAloneIsFromPadToPad) {
  auto executor = make(3, 2);
  executor->configure({{0, 3}, Granularity::coarse, 1});
  for (int id = 0; id < 20; ++id) {
    TestItem item;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // the thread waits
    uint64_t taken_ns = 0;
    std::thread sink([&] {
      EXPECT_EQ(executor->take(), &item);
      taken_ns = now_ns();
      executor->release();
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // so does the sink
    const uint64_t sent_ns = now_ns();
    EXPECT_TRUE(executor->submit(&item));
    sink.join();
    const FrameTimes& times = item.times;
    EXPECT_GE(times.let_in_ns, sent_ns);
    EXPECT_GE(times.latency_ns(), times.end_ns - times.begin_ns);
    EXPECT_LE(times.waking_ns, times.begin_ns - times.let_in_ns);
    EXPECT_LE(times.latency_ns(), taken_ns - sent_ns);
  }
}

TEST_F(ExecutorLatencyTest, SpacedFramesBeginWhenThoseBeforeHaveBeenReleased) {
  auto executor = make(3, 2);
  executor->configure({{0, 3}, Granularity::coarse, 2}, false, true);
  Pump pump(*executor);
  pump.send(50);
  pump.stop();
  for (std::size_t i = 0; i < pump.items_.size(); ++i) {
    const FrameTimes& times = pump.items_[i].times;
    EXPECT_TRUE(times.spaced);
    if (i == 0) continue;
    const FrameTimes& before = pump.items_[i - 1].times;
    EXPECT_GE(times.begin_ns, before.ready_ns);
    EXPECT_LE(times.waking_ns, times.begin_ns - before.ready_ns);
  }
}

TEST_F(ExecutorLatencyTest, FramesThatAreNotSpacedAnyMoreDoNotWait) {
  auto executor = make(3, 2);
  executor->configure({{0, 3}, Granularity::coarse, 2}, false, true);
  world_.held = 1;
  TestItem first, second;
  second.id = 1;
  EXPECT_TRUE(executor->submit(&first));
  EXPECT_TRUE(executor->submit(&second));
  executor->configure({{0, 3}, Granularity::coarse, 2});
  while (world_.passed < 1) std::this_thread::yield();
  EXPECT_FALSE(second.times.spaced);
  world_.held = 0;
  for (int i = 0; i < 2; ++i) {
    executor->take();
    executor->release();
  }
}

}  // namespace
}  // namespace tandem
