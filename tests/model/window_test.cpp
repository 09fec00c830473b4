// SPDX-License-Identifier: LGPL-2.1-or-later
// The bound that in-order delivery and a window put on two paths of different speed.
#include <gtest/gtest.h>

#include "model/objective.h"

namespace tandem {
namespace {

// One stage: 1 ms on the device, 50 ms on a core, on which n threads scale perfectly.
Measurements fast_device(int window) {
  Measurements m;
  m.cores = 2;
  m.stages = {{.cg = {0.050, {}}, .mg = {0.025, {}}, .device = {0.001, {}}, .has_device = true}};
  m.cg = {{0.050, {}}, {0.025, {}}, {0.025, {}}};
  m.window = window;
  return m;
}

Configuration decoupled(int threads) { return {{1, 1}, Granularity::coarse, threads}; }

// 1000 + 20 frames a second need 50 in flight; 8 in flight let 9 pass while the core computes one.
TEST(Window, BoundsTheFasterPath) {
  const Prediction p = predict(fast_device(8), decoupled(2));
  EXPECT_NEAR(p.throughput_fps, 9 / 0.050, 1e-9);
  EXPECT_NEAR(p.p_device, 1 - 20.0 / 180, 1e-9);
  EXPECT_NEAR(predict(fast_device(64), decoupled(2)).throughput_fps, 1020, 1e-9);
  EXPECT_NEAR(predict(fast_device(0), decoupled(2)).throughput_fps, 1020, 1e-9);
}

// Two threads: T(2) = 25 ms a frame, but each takes 50 ms for one.
TEST(Window, CountsTheLatencyOfOneFrame) {
  EXPECT_NEAR(predict(fast_device(8), decoupled(3)).throughput_fps, 9 / 0.050, 1e-9);
  const Configuration medium{{1, 1}, Granularity::medium, 3};
  EXPECT_NEAR(predict(fast_device(8), medium).throughput_fps, 9 / 0.025, 1e-9);
}

TEST(Window, DoesNotBindOnePath) {
  EXPECT_NEAR(predict(fast_device(8), decoupled(1)).throughput_fps, 1000, 1e-9);
}

// A stage of 0.5 ms that serves one frame at a time, then 0.2 ms on the device or 30 ms on a core.
TEST(Window, LetsNoMoreFramesThroughThanASerialStage) {
  Measurements m;
  m.cores = 4;
  m.stages = {{.cg = {0.0005, {}}, .mg = {0.0005, {}}, .has_device = false, .serial = true},
              {.cg = {0.030, {}}, .mg = {0.0075, {}}, .device = {0.0002, {}}, .has_device = true}};
  for (const int n : {1, 2, 3, 4, 4}) m.cg.push_back({0.0305 / n, {}});
  const Configuration coupled{{2, 2}, Granularity::coarse, 4, 2};
  m.lane_factors[1] = {1, 1};
  for (const int window : {0, 512, 64, 18}) {
    m.window = window;
    EXPECT_LE(predict(m, coupled).throughput_fps, 2000 * (1 + 1e-9)) << window;
    EXPECT_GT(predict(m, coupled).throughput_fps, 100) << window;
  }
}

TEST(Window, MakesTheDeviceAloneTheBest) {
  EXPECT_EQ(to_string(choose(fast_device(8), {}).best().configuration), "g/cg1");
  EXPECT_EQ(to_string(choose(fast_device(0), {}).best().configuration), "g/cg3");
}

}  // namespace
}  // namespace tandem
