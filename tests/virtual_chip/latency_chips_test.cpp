// SPDX-License-Identifier: LGPL-2.1-or-later
// What the bin chooses on random chips where latency matters, against exhaustive search.
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
constexpr int kMostFrames = 1'000'000;

Decision decision_of(const Chip& chip, unsigned seed, const Objective& objective) {
  SimulatedBin bin(chip, seed, objective);
  bin.frames_changed("frames");
  EXPECT_TRUE(bin.run_to_decision(kMostFrames));
  return bin.decisions().back();
}

struct Reached {
  void add(double ratio) {
    sum += std::min(1.0, ratio);
    least = std::min(least, ratio);
    ++chips;
  }
  double mean() const { return sum / chips; }
  double sum = 0, least = 1;
  int chips = 0;
};

TEST(LatencyChips, TheChoiceHasTheLeastLatency) {
  Reached reached;
  for (unsigned seed = 0; seed < kChips; ++seed) {
    const Chip chip = random_chip(seed);
    const Exhaustive exhaustive(chip, seed);
    const Decision decision = decision_of(chip, seed, {Metric::latency});
    const Exhaustive::Entry best = exhaustive.best(Metric::latency);
    const double latency_s = exhaustive.look(decision.after).latency_s;
    const double ratio = best.steady.latency_s / latency_s;
    EXPECT_GE(ratio, 0.92) << "seed " << seed << ": " << to_string(decision.after) << " "
                           << 1e3 * latency_s << " ms, best " << to_string(best.configuration)
                           << " " << 1e3 * best.steady.latency_s << " ms, predicted "
                           << 1e3 * decision.predicted.latency_s;
    reached.add(ratio);
  }
  std::printf("latency: %.2f%% of the best on average, %.2f%% at least\n", 100 * reached.mean(),
              100 * reached.least);
  EXPECT_GE(reached.mean(), 0.98);
}

// Half of what the fastest needs, and a quarter: what is faster than the rest answers late.
TEST(LatencyChips, TheChoiceKeepsTheTarget) {
  constexpr double kNoise = 1.03;  // training sees a percentile of few frames
  for (const double part : {0.5, 0.25}) {
    Reached reached;
    int impossible = 0;
    for (unsigned seed = 0; seed < kChips; seed += 4) {
      const Chip chip = random_chip(seed);
      const Exhaustive exhaustive(chip, seed);
      const double target_s = part * exhaustive.best(Metric::throughput).steady.latency_s;
      const auto best = exhaustive.fastest_below(target_s);
      const Decision decision = decision_of(chip, seed, {.target_latency_s = target_s});
      const Steady chosen = exhaustive.look(decision.after);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + to_string(decision.after));
      if (!best) {
        EXPECT_TRUE(decision.choice.latency_missed);
        const double least_s = exhaustive.best(Metric::latency).steady.latency_s;
        EXPECT_LE(chosen.latency_s, least_s / 0.92) << "the least, where nothing stays below";
        ++impossible;
        continue;
      }
      EXPECT_LE(chosen.latency_s, kNoise * target_s);
      reached.add(chosen.throughput_fps / best->steady.throughput_fps);
    }
    std::printf(
        "%.2f of the fastest's: kept; %.2f%% of the best that keeps it on average, %.2f%% at "
        "least; nothing keeps it on %d of %d chips\n",
        part, 100 * reached.mean(), 100 * reached.least, impossible, impossible + reached.chips);
    EXPECT_GE(reached.mean(), 0.97);
  }
}

}  // namespace
}  // namespace tandem::test
