// SPDX-License-Identifier: LGPL-2.1-or-later
// Trainings by efficiency where the device draws the more the more lanes it has, and its energy
// counter has a new value every 100 ms that is found up to 4 ms late.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

#ifdef TANDEM_SANITIZED
constexpr unsigned kSeeds = 1;
#else
constexpr unsigned kSeeds = 10;
#endif
constexpr int kMostFrames = 1'000'000, kSteadyFrames = 10'000;
constexpr double kMostRatio = 1.3, kLeastOfFast = 0.93, kMeanOfFast = 0.96;

/// As an H200, which draws 120 W while it waits; the cores' joules are not counted.
Chip with_fast_counter(Chip chip) {
  chip.c = chip.u = {};
  chip.g = {.idle_w = 120, .device_w = 230, .lanes_w = 250};
  chip.meter_resolution_s = 1e-3;
  chip.drift = 0.02;
  return chip;
}

Chip with_slow_counter(Chip chip, double resolution_s = 0.1) {
  chip = with_fast_counter(chip);
  chip.meter_resolution_s = resolution_s;
  chip.meter_pause_s = 4e-3;
  return chip;
}

/// Any number of threads beside the device does nearly the same: so many near equals.
Chip with_threads_alike(Chip chip) {
  chip.name += ", threads alike";
  chip.crowding = 0;
  chip.starved = 0.1;
  chip.slowdown.assign(chip.slowdown.size(), 1);
  return chip;
}

/// Means of trainings.
struct Trained {
  double seconds = 0, trials = 0;
  double value = 0;  ///< of what was chosen
};

Trained train(const Chip& chip, Metric metric) {
  Chip steady = chip;
  steady.drift = 0;
  Trained mean;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SimulatedBin bin(chip, seed, {metric});
    if (std::getenv("TANDEM_TEST_VERBOSE")) bin.print_what_is_tried();
    bin.frames_changed("frames");
    EXPECT_TRUE(bin.run_to_decision(kMostFrames));
    const Decision& decision = bin.decisions().back();
    mean.seconds += decision.training_s / kSeeds;
    mean.trials += 1.0 * decision.trials / kSeeds;
    mean.value += run_steadily(steady, decision.after, 1, kSteadyFrames).value(metric) / kSeeds;
  }
  return mean;
}

/// Returns the value by that of a fast counter.
double expect_short_and_good(const Chip& chip) {
  const Chip slow = with_slow_counter(chip);
  const Trained throughput = train(slow, Metric::throughput);
  const Trained efficiency = train(slow, Metric::efficiency);
  const Trained fast = train(with_fast_counter(chip), Metric::efficiency);
  const double ratio = efficiency.seconds / throughput.seconds;
  const double of_fast = efficiency.value / fast.value;
  std::printf("| %s | %.2f; %.1f | %.2f; %.1f | %.2f | %.3f |\n", chip.name.c_str(),
              throughput.seconds, throughput.trials, efficiency.seconds, efficiency.trials, ratio,
              of_fast);
  EXPECT_LE(ratio, kMostRatio) << chip.name;
  EXPECT_GE(of_fast, kLeastOfFast) << chip.name;
  return of_fast;
}

TEST(SlowCounter, ATrainingByEfficiencyIsHardlyLongerAndAsGood) {
  std::printf(
      "| chip | training by throughput, s; trials and looks | by efficiency | ratio | chosen, of "
      "what a counter of 1 ms leads to |\n");
  const LargeDevice chips = large_device_chips();
  double sum = 0;
  int count = 0;
  for (const Chip& chip : {chips.vivid_small, chips.vivid, chips.tracking, chips.srad})
    for (const Chip& variant : {chip, with_threads_alike(chip)}) {
      sum += expect_short_and_good(variant);
      ++count;
    }
  EXPECT_GE(sum / count, kMeanOfFast);
}

// The few steps between its values tell of a busy device alone: nothing of what it draws while the
// cores compute, which would be looked at for 0.4 s if it seemed to draw nothing then.
TEST(SlowCounter, WhatNoStepTellsIsNotLookedAt) {
  const Chip chip = with_slow_counter(large_device_chips().vivid, 0.12);
  double mean_s = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SimulatedBin bin(chip, seed, {Metric::efficiency}, 0.05);
    bin.frames_changed("frames");
    EXPECT_TRUE(bin.run_to_decision(kMostFrames));
    mean_s += bin.decisions().back().training_s / kSeeds;
  }
  std::printf("training: %.2f s\n", mean_s);
  EXPECT_LT(mean_s, 2.8);
}

}  // namespace
}  // namespace tandem::test
