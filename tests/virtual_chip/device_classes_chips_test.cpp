// SPDX-License-Identifier: LGPL-2.1-or-later
// The bin's decisions on random chips that have devices of two kinds, against exhaustive search.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

#ifdef TANDEM_SANITIZED
constexpr unsigned kChips = 4;
#else
constexpr unsigned kChips = 40;
#endif
constexpr int kMostFrames = 1'000'000;
constexpr std::size_t kMostStages = 3;
constexpr int kMostCores = 4;

// Small ones: there are 27 mappings of three stages.
Chip small_chip(unsigned seed) {
  Chip chip = random_chip(seed);
  if (chip.stages.size() > kMostStages) chip.stages.resize(kMostStages);
  chip.stages.back().download_s = 0;
  if (chip.cores > kMostCores) {
    chip.cores = kMostCores;
    chip.slowdown.resize(kMostCores);
    chip.slowdown.push_back(chip.slowdown.back() * (kMostCores + 1) / kMostCores);
  }
  return chip;
}

Decision decide(const Chip& chip, unsigned seed) {
  SimulatedBin bin(chip, seed, {Metric::throughput});
  bin.frames_changed("frames");
  EXPECT_TRUE(bin.run_to_decision(kMostFrames));
  return bin.decisions().back();
}

TEST(LettersOnChips, TheChoiceIsNearTheBest) {
  double sum = 0, least = 1, gain = 0;
  int with_letters = 0, gains = 0;
  for (unsigned seed = 0; seed < kChips; ++seed) {
    const Chip alone = small_chip(seed), chip = with_other_kind(alone, seed);
    const Exhaustive exhaustive(chip, seed);
    const Configuration chosen = decide(chip, seed).after;
    const Exhaustive::Entry best = exhaustive.best(Metric::throughput);
    const double ratio = exhaustive.look(chosen).throughput_fps / best.steady.throughput_fps;
    EXPECT_GE(ratio, 0.8) << "seed " << seed << ": " << to_string(chosen) << ", best "
                          << to_string(best.configuration);
    sum += std::min(1.0, ratio);
    least = std::min(least, ratio);
    with_letters += chosen.mapping.any_further_letter();
    const double before = exhaustive.look(decide(alone, seed).after).throughput_fps;
    gain += exhaustive.look(chosen).throughput_fps / before;
    gains += exhaustive.look(chosen).throughput_fps > 1.02 * before;
  }
  std::printf(
      "%u chips with two kinds of devices: %.2f%% of the best on average, %.2f%% at least; %d "
      "choices have the second kind; %.3f times the rate that is chosen without it, on %d more\n",
      kChips, 100 * sum / kChips, 100 * least, with_letters, gain / kChips, gains);
  EXPECT_GE(sum / kChips, 0.97);
}

// A device that is no help is not chosen, and finding that out costs one experiment.
TEST(LettersOnChips, ADeviceThatIsNoHelpIsNotChosen) {
  double sum = 0, extra_s = 0;
  for (unsigned seed = 0; seed < kChips; ++seed) {
    const Chip alone = small_chip(seed);
    Chip chip = alone;
    Chip::Kind slow;
    for (const Chip::Stage& stage : chip.stages)
      slow.device_s.push_back(20 * std::max(stage.device_s, stage.core_s));
    chip.further.push_back(slow);
    const Decision with = decide(chip, seed), without = decide(alone, seed);
    EXPECT_FALSE(with.after.mapping.any_further_letter()) << to_string(with.after);
    sum += run_steadily(chip, with.after, seed, 2000).throughput_fps /
           run_steadily(alone, without.after, seed, 2000).throughput_fps;
    extra_s += with.training_s - without.training_s;
  }
  std::printf(
      "%u chips with a second device that is no help: %.3f of the rate without it; "
      "training takes %.2f s longer\n",
      kChips, sum / kChips, extra_s / kChips);
  EXPECT_GE(sum / kChips, 0.98);
}

TEST(LettersOnChips, AKindThatFailsIsLeftOutAndNoFrameIsLost) {
  for (const int failing : {0, 1}) {
    for (const int lanes : {1, 2, 4}) {
      const Chip chip = with_other_kind(small_chip(7), 7);
      Simulation simulation(chip, 7);
      Mapping mapping{(1u << chip.stages.size()) - 1, static_cast<int>(chip.stages.size())};
      mapping.set(0, Side::h);
      simulation.configure({mapping, Granularity::coarse, chip.cores, lanes});
      simulation.fail_device_after(10, failing);
      for (uint64_t i = 0; i < 500; ++i) {
        const Simulation::Frame frame = simulation.next();
        ASSERT_EQ(frame.sequence, i);
        ASSERT_TRUE(frame.ok);
      }
    }
  }
}

}  // namespace
}  // namespace tandem::test
