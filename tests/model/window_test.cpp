// SPDX-License-Identifier: LGPL-2.1-or-later
// The bound that in-order delivery and a window put on two paths of different speed.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

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

TEST(Window, MakesTheDeviceAloneTheBest) {
  EXPECT_EQ(to_string(choose(fast_device(8), {}).best().configuration), "g/cg1");
  EXPECT_EQ(to_string(choose(fast_device(0), {}).best().configuration), "g/cg3");
}

// Frames per second of a device and `threads` cores that take frames in order, when frame i may
// begin only after frame i - window was delivered, in order.
double simulate(double device_s, double core_s, int threads, int window) {
  constexpr int kFrames = 20000;
  std::vector<double> free_at(threads + 1, 0.0), delivered(kFrames);
  for (int i = 0; i < kFrames; ++i) {
    const auto server = std::min_element(free_at.begin(), free_at.end());
    const double begin = std::max(*server, i < window ? 0.0 : delivered[i - window]);
    *server = begin + (server == free_at.begin() ? device_s : core_s);
    delivered[i] = std::max(*server, i == 0 ? 0.0 : delivered[i - 1]);
  }
  return kFrames / delivered.back();
}

TEST(Window, IsWhatASimulationShows) {
  for (const int window : {8, 16, 30, 64}) {
    const double one = predict(fast_device(window), decoupled(2)).throughput_fps;
    EXPECT_NEAR(simulate(0.001, 0.050, 1, window), one, 0.02 * one) << window;
    const double two = predict(fast_device(window), decoupled(3)).throughput_fps;
    EXPECT_LE(simulate(0.001, 0.050, 2, window), 1.001 * two) << window;
  }
}

}  // namespace
}  // namespace tandem
