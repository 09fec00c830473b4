// SPDX-License-Identifier: LGPL-2.1-or-later
// The bin's decisions where all that is measured is off by as much as the choices differ.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

#ifdef TANDEM_SANITIZED
constexpr unsigned kSeeds = 1, kChips = 2;
#else
constexpr unsigned kSeeds = 10, kChips = 40;
#endif
constexpr double kDrift = 0.07;
constexpr int kMostFrames = 1'000'000, kSteadyFrames = 20'000;

/// What trainings led to.
struct Outcomes {
  std::vector<double> of_best, said, training_s;  // `said`: of what was measured
  int trials = 0;

  void add(const Decision& decision, double fps, double best_fps) {
    of_best.push_back(std::min(1.0, fps / best_fps));
    said.push_back(decision.predicted.throughput_fps / fps);
    training_s.push_back(decision.training_s);
    trials += decision.trials;
  }
  static double mean(const std::vector<double>& of) {
    double sum = 0;
    for (const double one : of) sum += one;
    return sum / static_cast<double>(of.size());
  }
  static double middle(std::vector<double> of) {
    std::ranges::nth_element(of, of.begin() + std::ssize(of) / 2);
    return of[of.size() / 2];
  }
  double least() const { return std::ranges::min(of_best); }
  double mean_of_best() const { return mean(of_best); }
  double mean_training_s() const { return mean(training_s); }
  void print(const char* name) const {
    std::printf("| %s | %.3f, %.3f | %.2f, %.2f | %.1f | %.2f, %.2f to %.2f |\n", name,
                mean_of_best(), least(), mean(training_s), std::ranges::max(training_s),
                static_cast<double>(trials) / static_cast<double>(said.size()), middle(said),
                std::ranges::min(said), std::ranges::max(said));
  }
};

Decision decision_of(const Chip& chip, unsigned seed) {
  SimulatedBin bin(chip, seed, {Metric::throughput});
  bin.frames_changed("frames");
  EXPECT_TRUE(bin.run_to_decision(kMostFrames));
  return bin.decisions().back();
}

/// Of enough configurations.
double best_fps(const Chip& chip) {
  double best = 0;
  for (const Configuration& c : all_configurations(static_cast<int>(chip.stages.size()), chip.cores,
                                                   chip.device_capable(), chip.lanes()))
    if (c.granularity == Granularity::medium || c.threads < 3 || c.threads % 4 == 0)
      best = std::max(best, run_steadily(chip, c, 1, 2000).throughput_fps);
  return best;
}

TEST(DriftingChips, ALargeDeviceIsTrainedForSoon) {
  std::printf(
      "| chip | of the best: mean, least | training, s: mean, most | trials | said / measured: "
      "median, range |\n");
  const LargeDevice chips = large_device_chips();
  for (const Chip& chip : {chips.vivid_small, chips.vivid, chips.tracking, chips.srad}) {
    const double best = best_fps(chip);
    Chip drifting = chip;
    drifting.drift = kDrift;
    Outcomes outcomes;
    for (unsigned seed = 0; seed < kSeeds; ++seed) {
      const Decision decision = decision_of(drifting, seed);
      const double fps = run_steadily(chip, decision.after, 1, kSteadyFrames).throughput_fps;
      outcomes.add(decision, fps, best);
    }
    outcomes.print(chip.name.c_str());
    EXPECT_GE(outcomes.mean_of_best(), 0.97) << chip.name;
    EXPECT_GE(outcomes.least(), 0.83) << chip.name;  // SRAD has many near equals
    EXPECT_LE(outcomes.mean_training_s(), 3.5) << chip.name;
  }
}

TEST(DriftingChips, TheChoiceIsNearTheBest) {
  Outcomes outcomes;
  for (unsigned seed = 0; seed < kChips; ++seed) {
    const Chip chip = random_chip(5 * seed);
    Chip drifting = chip;
    drifting.drift = kDrift;
    const Exhaustive exhaustive(chip, seed);
    const Decision decision = decision_of(drifting, seed);
    outcomes.add(decision, exhaustive.look(decision.after).throughput_fps,
                 exhaustive.best(Metric::throughput).steady.throughput_fps);
  }
  outcomes.print("random chips");
  EXPECT_GE(outcomes.mean_of_best(), 0.98);
  EXPECT_GE(outcomes.least(), 0.9);
  EXPECT_LE(outcomes.mean_training_s(), 3);
}

}  // namespace
}  // namespace tandem::test
