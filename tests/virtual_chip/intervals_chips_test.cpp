// SPDX-License-Identifier: LGPL-2.1-or-later
// What the bin chooses on random chips whose stages leave frames out, against exhaustive search.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

#ifdef TANDEM_SANITIZED
constexpr unsigned kChips = 5;
#else
constexpr unsigned kChips = 200;
#endif
constexpr int kMostFrames = 1'000'000, kFrames = 2000;

// What the bin does with what it has chosen.
Steady run_on(SimulatedBin& bin) {
  Simulation& simulation = bin.simulation();
  const double begin_s = simulation.now_s(), begin_j = simulation.energy().joules().sum();
  for (int i = 0; i < kFrames; ++i) bin.next();
  return {kFrames / (simulation.now_s() - begin_s),
          (simulation.energy().joules().sum() - begin_j) / kFrames};
}

void expect_best(Metric metric, const char* name, double least_mean) {
  double sum = 0, least = 1, off = 0;
  for (unsigned seed = 0; seed < kChips; ++seed) {
    const Chip chip = with_intervals(random_chip(seed), seed);
    const Exhaustive exhaustive(chip, seed);
    SimulatedBin bin(chip, seed, {metric});
    bin.frames_changed("frames");
    ASSERT_TRUE(bin.run_to_decision(kMostFrames));
    const Decision& decision = bin.decisions().back();
    const Exhaustive::Entry best = exhaustive.best(metric);
    const Steady chosen = run_on(bin);
    const double ratio = std::min(1.0, chosen.value(metric) / best.steady.value(metric));
    // A trial may see a rhythm of frames that the steady stream does not keep: 0.78 at least.
    EXPECT_GE(ratio, 0.75) << "seed " << seed << ": " << to_string(decision.after) << " "
                           << chosen.throughput_fps << " fps " << chosen.energy_j << " J, best "
                           << to_string(best.configuration) << " " << best.steady.throughput_fps
                           << " fps " << best.steady.energy_j << " J";
    sum += ratio;
    least = std::min(least, ratio);
    off += std::abs(std::log(decision.predicted.throughput_fps / chosen.throughput_fps));
  }
  std::printf("%s: %.2f%% of the best on average, %.2f%% at least; predictions are off by %.1f%%\n",
              name, 100 * sum / kChips, 100 * least, 100 * off / kChips);
  EXPECT_GE(sum / kChips, least_mean) << name;
}

TEST(IntervalsChips, TheChoiceIsNearTheBest) {
  expect_best(Metric::throughput, "throughput", 0.98);
  expect_best(Metric::efficiency, "efficiency", 0.98);
}

}  // namespace
}  // namespace tandem::test
