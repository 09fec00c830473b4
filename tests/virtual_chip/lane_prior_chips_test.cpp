// SPDX-License-Identifier: LGPL-2.1-or-later
// Trainings on random chips with a prior that knows their lanes, with one that is wrong, and
// without one.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "tests/support/step_model.h"
#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

#ifdef TANDEM_SANITIZED
constexpr unsigned kChips = 20, kSeeds = 1;
constexpr double kLeastShare = 0.98;  // of few chips
#else
constexpr unsigned kChips = 200, kSeeds = 5;
constexpr double kLeastShare = 0.995;
#endif
constexpr int kMostFrames = 1'000'000, kSteadyFrames = 4000;
constexpr int kNumbers[] = {2, 4, 8};
constexpr double kEqual = 0.97;  // what is nearer a training takes for equal
// A wrong prior changes which trials are made: on one chip they miss what those without it find.
constexpr double kLeastOfAWrongOne = 0.96;

struct Training {
  // `lanes`: experiments with the device alone and several; `halves`: of experiments, each for one.
  int lanes = 0, experiments = 0, halves = 0, trials = 0;
  double seconds = 0, fps = 0;
};

// What lanes gain with the device alone, as an experiment sees it.
LaneGains gains_on(const Chip& chip, unsigned seed) {
  LaneGains gains{1, 1, 1, 1};
  const int stages = static_cast<int>(chip.stages.size());
  Configuration alone{{chip.device_capable(), stages}, Granularity::coarse, chip.devices};
  const double one_fps = run_steadily(chip, alone, seed, kSteadyFrames, false).throughput_fps;
  for (const int n : kNumbers) {
    alone.lanes = n;
    gains[static_cast<std::size_t>(std::lround(std::log2(n)))] =
        run_steadily(chip, alone, seed, kSteadyFrames, false).throughput_fps / one_fps;
  }
  return gains;
}

Training train(const Chip& chip, unsigned seed, const std::shared_ptr<const StreamModel>& model) {
  SimulatedBin bin(chip, seed, {}, 0.05, model);
  Training training;
  bin.trained([&](const Conditions&, const Learnt& learnt) {
    for (const Observation& seen : learnt.facts.observations) {
      training.halves += !is_trial(seen.kind);
      training.lanes += seen.kind == Observation::Kind::experiment && seen.configuration.lanes > 1;
    }
  });
  bin.frames_changed("frames");
  EXPECT_TRUE(bin.run_to_decision(kMostFrames));
  const Decision& decision = bin.decisions().back();
  training.experiments = decision.experiments;
  training.trials = decision.trials;
  training.seconds = decision.training_s;
  training.fps = run_steadily(chip, decision.after, seed, kSteadyFrames).throughput_fps;
  return training;
}

struct Sum {
  int chips = 0, lanes = 0, experiments = 0, halves = 0, trials = 0;
  double seconds = 0, share = 0, least = 1;  // of the rate that is reached without a prior

  void add(const Training& training, const Training& without) {
    ++chips;
    lanes += training.lanes;
    experiments += training.experiments;
    halves += training.halves;
    trials += training.trials;
    seconds += training.seconds;
    share += training.fps / without.fps;
    least = std::min(least, training.fps / without.fps);
  }
  void print(const char* name) const {
    std::printf("| %s | %d | %d | %d | %d | %d | %.1f | %.2f | %.2f |\n", name, chips, lanes,
                experiments, halves, trials, seconds, 100 * share / chips, 100 * least);
  }
};

// Copies in each direction take as long as the kernels: three lanes have something to do.
Chip with_long_copies(Chip chip) {
  double device_s = 0;
  for (const Chip::Stage& stage : chip.stages) device_s += stage.device_s;
  chip.stages.front().upload_s = chip.stages.back().download_s = device_s;
  return chip;
}

void expect_on_chips(bool long_copies) {
  std::printf(
      "| prior | chips | lanes | experiments | halves | trials | s | of the rate without | least "
      "|\n");
  Sum without, right, wrong, blind;
  for (unsigned seed = 0; seed < kChips; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Chip random = random_chip(seed);
    if (random.lanes().size() < 2) continue;
    const Chip chip = long_copies ? with_long_copies(random) : random;
    const LaneGains gains = gains_on(chip, seed);
    const bool many = gains[2] > gains[1] * (1 + kLaneGain);
    const LaneGains opposite = many ? LaneGains{1, 1, 1, 1} : LaneGains{1, 2, 4, 8};
    const Training none = train(chip, seed, nullptr);
    const Training knows = train(chip, seed, step_model(gains));
    const Training errs = train(chip, seed, step_model(opposite));
    const Training sees_none = train(chip, seed, step_model({1, 1, 1, 1}));
    // A gain near 5% is one or none by chance.
    EXPECT_LE(knows.experiments, none.experiments + 1);
    EXPECT_LE(errs.experiments, none.experiments + 1);
    EXPECT_LE(sees_none.experiments, none.experiments + 1);
    without.add(none, none);
    right.add(knows, none);
    wrong.add(errs, none);
    blind.add(sees_none, none);
  }
  without.print("none");
  right.print("right");
  wrong.print("wrong");
  blind.print("no gain");
  EXPECT_LE(right.seconds, without.seconds);
  for (const Sum* sum : {&right, &wrong, &blind}) {
    EXPECT_GE(sum->share / sum->chips, kLeastShare);
    EXPECT_LE(sum->experiments, 1.01 * without.experiments);
    EXPECT_LE(sum->seconds, 1.07 * without.seconds)
        << "trainings are short: one trial more of a wrong prior is 5%, and chance half of that";
  }
  EXPECT_LE(right.lanes, 0.7 * without.lanes);
  EXPECT_LE(right.experiments, 0.85 * without.experiments);
  // What is chosen on one chip hangs on chance there, with a prior and without one.
  if (long_copies) return;
  EXPECT_GE(right.least, kEqual);
  EXPECT_GE(wrong.least, kLeastOfAWrongOne);
}

TEST(LanePriorChips, ARightPriorSavesExperimentsAndAWrongOneCostsNone) { expect_on_chips(false); }

TEST(LanePriorChips, SoItIsWhereCopiesAreLong) { expect_on_chips(true); }

TEST(LanePriorChips, OnALargeDevice) {
  const LargeDevice chips = large_device_chips();
  for (const Chip* chip : {&chips.vivid_small, &chips.vivid, &chips.srad}) {
    SCOPED_TRACE(chip->name);
    Sum without, right, wrong;
    const LaneGains gains = gains_on(*chip, 1);
    for (unsigned seed = 1; seed <= kSeeds; ++seed) {
      const Training none = train(*chip, seed, nullptr);
      without.add(none, none);
      right.add(train(*chip, seed, step_model(gains)), none);
      wrong.add(train(*chip, seed, step_model({1, 2, 4, 8})), none);
    }
    std::printf("%s: %.2f %.2f %.2f\n", chip->name.c_str(), gains[1], gains[2], gains[3]);
    without.print("none");
    right.print("right");
    wrong.print("wrong");
    EXPECT_LE(right.experiments, 0.75 * without.experiments);
    EXPECT_LE(wrong.experiments, without.experiments);
    for (const Sum* sum : {&right, &wrong}) EXPECT_GE(sum->share / sum->chips, kEqual);
  }
}

}  // namespace
}  // namespace tandem::test
