// SPDX-License-Identifier: LGPL-2.1-or-later
// Chains with a stage that no core can compute: how their frames flow, and what is chosen.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

#ifdef TANDEM_SANITIZED
constexpr unsigned kChips = 4;
#else
constexpr unsigned kChips = 60;
#endif
constexpr int kMostFrames = 1'000'000;

// One of the stages, the middle one of them where there are several.
Chip chip_with_device_only(unsigned seed) {
  Chip chip = random_chip(seed);
  Chip::Stage& stage = chip.stages[chip.stages.size() / 2];
  stage.has_cpu = false;
  stage.core_s = stage.medium_s = 0;
  return chip;
}

TEST(DeviceOnly, FramesWaitForTheDeviceUnderEveryConfiguration) {
  const Chip chip = chip_with_device_only(3);
  const int stages = static_cast<int>(chip.stages.size());
  Simulation simulation(chip, 3);
  for (const Configuration& configuration : all_configurations(
           stages, chip.cores, chip.device_capable(), chip.lanes(), 1, chip.device_only())) {
    simulation.configure(configuration);
    for (int i = 0; i < 50; ++i) {
      const Simulation::Frame frame = simulation.next();
      EXPECT_TRUE(frame.ok);
      EXPECT_EQ(frame.device_stages & chip.device_only(), chip.device_only());
    }
  }
}

TEST(DeviceOnly, FramesFailWhenTheDeviceDoes) {
  const Chip chip = chip_with_device_only(3);
  Simulation simulation(chip, 3);
  simulation.configure({{chip.device_only(), static_cast<int>(chip.stages.size())},
                        Granularity::coarse,
                        chip.cores});
  simulation.fail_device_after(20);
  int ok = 0;
  for (int i = 0; i < 100; ++i) ok += simulation.next().ok ? 1 : 0;
  EXPECT_LE(ok, 20);
  EXPECT_GT(ok, 10);
}

TEST(DeviceOnly, TheChoiceIsPossibleAndTheBest) {
  double sum = 0, least = 1;
  for (unsigned seed = 0; seed < kChips; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Chip chip = chip_with_device_only(seed);
    SimulatedBin bin(chip, seed, {Metric::throughput});
    bin.frames_changed("frames");
    ASSERT_TRUE(bin.run_to_decision(kMostFrames));
    const Configuration& chosen = bin.decisions().back().after;
    EXPECT_EQ(chosen.mapping, chosen.mapping.with(chip.device_only())) << to_string(chosen);
    const Exhaustive exhaustive(chip, seed);
    const Exhaustive::Entry best = exhaustive.best(Metric::throughput);
    const double ratio = exhaustive.look(chosen).throughput_fps / best.steady.throughput_fps;
    EXPECT_GE(ratio, 0.85) << to_string(chosen) << ", best " << to_string(best.configuration);
    sum += std::min(1.0, ratio);
    least = std::min(least, ratio);
  }
  std::printf("%u chips: %.2f%% of the best on average, %.2f%% at least\n", kChips,
              100 * sum / kChips, 100 * least);
  EXPECT_GE(sum / kChips, 0.98);
}

TEST(DeviceOnly, OneThatStandsAloneIsChosenFor) {
  Chip chip = chip_with_device_only(0);
  chip.stages = {chip.stages[chip.stages.size() / 2]};
  SimulatedBin bin(chip, 0, {Metric::throughput});
  bin.frames_changed("frames");
  ASSERT_TRUE(bin.run_to_decision(kMostFrames));
  EXPECT_EQ(to_string(bin.decisions().back().after.mapping), "g");
}

}  // namespace
}  // namespace tandem::test
