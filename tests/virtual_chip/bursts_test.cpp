// SPDX-License-Identifier: LGPL-2.1-or-later
// Something else takes three fifths of the cores for a moment while a training is under way.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

#ifdef TANDEM_SANITIZED
constexpr unsigned kSeeds = 1;
constexpr double kEvery_s = 0.4;
#else
constexpr unsigned kSeeds = 3;
constexpr double kEvery_s = 0.05;
#endif
constexpr double kLongest_s = 1.6;
constexpr int kMostFrames = 1'000'000, kSteadyFrames = 4'000, kOthers = 24;
constexpr double kLeastMean = 0.97;

/// Rates of what trainings choose, the burst a little later each time.
std::vector<double> chosen_in_bursts(const Chip& chip, double lasts_s) {
  Chip steady = chip;
  steady.drift = 0;
  std::map<std::string, double> rates;
  std::vector<double> all;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    for (double at_s = 0; at_s < kLongest_s; at_s += kEvery_s) {
      SimulatedBin bin(chip, seed, {});
      Simulation& simulation = bin.simulation();
      const double begin_s = simulation.now_s();
      bin.frames_changed("frames");
      bin.run_until(begin_s + at_s);
      if (!bin.decisions().empty()) break;
      simulation.set_others(kOthers);
      bin.run_until(begin_s + at_s + lasts_s);
      simulation.set_others(0);
      if (bin.decisions().empty() && !bin.run_to_decision(kMostFrames)) {
        ADD_FAILURE() << chip.name << ": no decision, seed " << seed;
        continue;
      }
      const Configuration chosen = bin.decisions().front().after;
      const auto [rate, first] = rates.try_emplace(to_string(chosen));
      if (first) rate->second = run_steadily(steady, chosen, 1, kSteadyFrames).throughput_fps;
      all.push_back(rate->second);
    }
  }
  return all;
}

TEST(Bursts, OfATenthOfASecondSpoilFewTrainings) {
  const LargeDevice chips = large_device_chips();
  Chip medium = chips.scene_small;
  medium.name += ", medium grain is fast";
  for (Chip::Stage& stage : medium.stages) stage.medium_s = 0.6e-3;
  std::printf("| chip | trainings | of the best of them: mean | least |\n");
  for (const Chip& chip : {chips.vivid_small, chips.vivid, chips.tracking, chips.srad,
                           chips.crowded_srad, chips.scene_small, medium}) {
    const std::vector<double> all = chosen_in_bursts(chip, 0.1);
    const auto [least, best] = std::ranges::minmax(all);
    const double mean =
        std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size()) / best;
    std::printf("| %s | %zu | %.3f | %.3f |\n", chip.name.c_str(), all.size(), mean, least / best);
    EXPECT_GE(mean, kLeastMean) << chip.name;
  }
}

}  // namespace
}  // namespace tandem::test
