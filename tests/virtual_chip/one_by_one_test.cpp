// SPDX-License-Identifier: LGPL-2.1-or-later
// What is chosen by least latency where frames that wait hide what frames that come one by one
// show: a device takes what a frame uploads while the one before it is computed.
#include <gtest/gtest.h>

#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

constexpr int kStages = 2, kCores = 4, kFrames = 500;
const Configuration kDevice{{3, kStages}, Granularity::coarse, 1};

// With the next frame waiting the device takes 0.52 ms of each, alone 1.02 ms; a split about 0.7.
Chip prefetching_chip() {
  Chip chip;
  chip.cores = kCores;
  chip.noise = 0.02;
  for (int k = 0; k < kStages; ++k)
    chip.stages.push_back(
        {.core_s = 3e-3, .medium_s = 0.75e-3, .device_s = 0.26e-3, .can_split = true});
  chip.stages.front().upload_s = 0.5e-3;
  chip.slowdown.assign(kCores + 1, 1);
  chip.split_cores_s = chip.split_device_s = 0.05e-3;
  chip.prefetches = true;
  return chip;
}

TEST(OneByOne, FramesThatWaitUploadMeanwhile) {
  const Chip chip = prefetching_chip();
  EXPECT_NEAR(run_steadily(chip, kDevice, 1, kFrames).latency_s, 0.52e-3, 0.05e-3);
  EXPECT_NEAR(run_one_by_one(chip, kDevice, 1, kFrames).latency_s, 1.02e-3, 0.1e-3);
}

TEST(OneByOne, WhatAnswersSoonestThenIsChosen) {
  for (unsigned seed = 1; seed <= 10; ++seed) {
    const Chip chip = prefetching_chip();
    SimulatedBin bin(chip, seed, {Metric::latency});
    bin.frames_changed("frames");
    ASSERT_TRUE(bin.run_to_decision(100'000));
    const Configuration chosen = bin.decisions().back().after;
    SCOPED_TRACE(to_string(chosen));
    double best_s = run_one_by_one(chip, kDevice, seed, kFrames).latency_s;
    for (int share = 1; share < 100; ++share) {
      const Configuration split{
          {3, kStages, Side::s}, Granularity::medium, kCores + 1, 1, 1, share};
      best_s = std::min(best_s, run_one_by_one(chip, split, seed, kFrames).latency_s);
    }
    const double chosen_s = run_one_by_one(chip, chosen, seed, kFrames).latency_s;
    EXPECT_TRUE(chosen.mapping.any_split());
    EXPECT_LE(chosen_s, 1.03 * best_s);
    EXPECT_NEAR(bin.decisions().back().predicted.latency_s, chosen_s, 0.05 * chosen_s);
  }
}

// By rate the device is the better one: what frames take one by one is none of it.
TEST(OneByOne, RatesAreThoseOfFramesThatWait) {
  const Chip chip = prefetching_chip();
  SimulatedBin bin(chip, 1, {Metric::throughput});
  bin.frames_changed("frames");
  ASSERT_TRUE(bin.run_to_decision(100'000));
  const Decision decision = bin.decisions().back();
  const double fps = run_steadily(chip, decision.after, 1, kFrames).throughput_fps;
  EXPECT_NEAR(decision.predicted.throughput_fps, fps, 0.05 * fps);
}

}  // namespace
}  // namespace tandem::test
