// SPDX-License-Identifier: LGPL-2.1-or-later
// What the bin chooses on random chips whose stages can be split, against exhaustive search.
#include <gtest/gtest.h>

#include <cstdio>
#include <optional>

#include "tests/virtual_chip/exhaustive.h"
#include "tests/virtual_chip/simulated_bin.h"

namespace tandem::test {
namespace {

#ifdef TANDEM_SANITIZED
constexpr unsigned kChips = 20;
#else
constexpr unsigned kChips = 200;
#endif
constexpr int kMostFrames = 1'000'000;

Chip chip_of(unsigned seed) { return with_split(random_chip(seed), seed); }

Decision decision_of(const Chip& chip, unsigned seed, const Objective& objective) {
  SimulatedBin bin(chip, seed, objective);
  bin.frames_changed("frames");
  EXPECT_TRUE(bin.run_to_decision(kMostFrames));
  return bin.decisions().back();
}

// One frame at a time on the better side: all that can be split on the device, or on the cores.
double better_side_s(const Exhaustive& exhaustive, const Chip& chip) {
  const int stages = static_cast<int>(chip.stages.size());
  const Configuration cores{{0, stages}, Granularity::medium, chip.cores + 1};
  const Configuration device{{chip.device_capable(), stages}, Granularity::coarse, 1};
  return std::min(exhaustive.look(cores).latency_s, exhaustive.look(device).latency_s);
}

void expect_best(Metric metric, const char* name) {
  double sum = 0, least = 1;
  int chips = 0, split = 0, best_split = 0, slower = 0;
  for (unsigned seed = 0; seed < kChips; ++seed) {
    const Chip chip = chip_of(seed);
    if (chip.can_split() == 0) continue;
    const Exhaustive exhaustive(chip, seed);
    const Decision decision = decision_of(chip, seed, {metric});
    const Exhaustive::Entry best = exhaustive.best(metric);
    const Steady chosen = exhaustive.look(decision.after);
    const double ratio = std::min(1.0, chosen.value(metric) / best.steady.value(metric));
    EXPECT_GE(ratio, 0.92) << "seed " << seed << ": " << to_string(decision.after) << " "
                           << 1e3 * chosen.latency_s << " ms " << chosen.energy_j << " J, best "
                           << to_string(best.configuration) << " " << 1e3 * best.steady.latency_s
                           << " ms " << best.steady.energy_j << " J";
    sum += ratio;
    least = std::min(least, ratio);
    ++chips;
    best_split += best.configuration.mapping.any_split();
    if (!decision.after.mapping.any_split()) continue;
    ++split;
    slower += chosen.latency_s > 1.03 * better_side_s(exhaustive, chip);
  }
  std::printf(
      "%s: %.2f%% of the best on average, %.2f%% at least; %d of %d chips split, best on %d; "
      "slower than the better side %d\n",
      name, 100 * sum / chips, 100 * least, split, chips, best_split, slower);
  EXPECT_GE(sum / chips, 0.98);
  EXPECT_EQ(slower, 0);
}

TEST(SplitChips, TheChoiceHasTheLeastLatency) { expect_best(Metric::latency, "latency"); }
TEST(SplitChips, TheChoiceTakesTheLeastEnergy) { expect_best(Metric::energy, "energy"); }
TEST(SplitChips, TheChoiceHasTheLeastEnergyDelayProduct) { expect_best(Metric::edp, "edp"); }

}  // namespace
}  // namespace tandem::test
