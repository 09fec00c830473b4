// SPDX-License-Identifier: LGPL-2.1-or-later
// Something else takes half of the cores for a while.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>

#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

constexpr double kTakenSeconds = 20;
constexpr int kMostFrames = 1'000'000;
// Of 200 random chips, those on which another configuration is better by a tenth or more while half
// of the cores are taken; and one on which none is.
#ifdef TANDEM_SANITIZED
constexpr unsigned kSeeds[] = {141};
#else
constexpr unsigned kSeeds[] = {141, 44, 35, 8};
#endif

double rate_fps(const Chip& chip, const Configuration& configuration, int others) {
  Simulation simulation(chip, 1);
  simulation.set_others(others);
  simulation.configure(configuration);
  for (int i = 0; i < 1000; ++i) simulation.next();
  const double begin_s = simulation.now_s();
  for (int i = 0; i < 3000; ++i) simulation.next();
  return 3000 / (simulation.now_s() - begin_s);
}

double best_fps(const Chip& chip, int others) {
  const int stages = static_cast<int>(chip.stages.size());
  double best = 0;
  for (const Configuration& configuration :
       all_configurations(stages, chip.cores, (1u << stages) - 1, chip.lanes()))
    best = std::max(best, rate_fps(chip, configuration, others));
  return best;
}

// Frames begin, and pass until 5 s after the decision.
void learn(SimulatedBin& bin) {
  bin.frames_changed("frames");
  ASSERT_TRUE(bin.run_to_decision(kMostFrames));
  bin.run_until(bin.simulation().now_s() + 5);
}

TEST(Fluctuation, TheBinAnswersAndGoesBackWithoutATraining) {
  std::printf(
      "| chip | learnt | while taken | answered, s | of the best then | back, s | of the best "
      "after |\n");
  for (const unsigned seed : kSeeds) {
    const Chip chip = random_chip(seed);
    SCOPED_TRACE(chip.name);
    SimulatedBin bin(chip, 3, {}, 0.3);
    Simulation& simulation = bin.simulation();
    ASSERT_NO_FATAL_FAILURE(learn(bin));
    const Configuration learnt = simulation.configuration();
    const std::size_t told = bin.decisions().size();
    const auto first_since = [&](std::size_t before, double since_s) {
      while (bin.decisions().size() == before && simulation.now_s() < since_s + kTakenSeconds)
        bin.run_until(simulation.now_s() + 0.01);
      return simulation.now_s() - since_s;
    };

    simulation.set_others(chip.cores / 2);
    const double taken_s = simulation.now_s();
    const double answered_s = first_since(told, taken_s);
    bin.run_until(taken_s + kTakenSeconds);
    const Configuration then = simulation.configuration();
    const double then_share = rate_fps(chip, then, chip.cores / 2) / best_fps(chip, chip.cores / 2);
    const std::size_t told_then = bin.decisions().size();

    simulation.set_others(0);
    const double given_back_s = simulation.now_s();
    const double back_s = first_since(told_then, given_back_s);
    bin.run_until(given_back_s + kTakenSeconds);
    const Configuration after = simulation.configuration();
    const double after_share = rate_fps(chip, after, 0) / best_fps(chip, 0);

    std::printf("| %s | %s | %s | %.2f | %.3f | %.2f | %.3f |\n", chip.name.c_str(),
                to_string(learnt).c_str(), to_string(then).c_str(), answered_s, then_share, back_s,
                after_share);
    EXPECT_LE(answered_s, 1);
    EXPECT_GE(then_share, 0.9);
    EXPECT_GE(after_share, 0.95);
    EXPECT_EQ(bin.controller().totals().trainings, 1);
    for (std::size_t i = told; i < bin.decisions().size(); ++i)
      EXPECT_EQ(bin.decisions()[i].reason, Reason::drift);
  }
}

// While half of the cores are taken a training may be needed. When they are back none is: what was
// learnt before holds.
TEST(Fluctuation, NoTrainingFollowsTheEnd) {
#ifdef TANDEM_SANITIZED
  constexpr unsigned kChips[] = {92};
#else
  constexpr unsigned kChips[] = {176, 92, 108};
#endif
  for (const unsigned seed : kChips) {
    const Chip chip = random_chip(seed);
    SCOPED_TRACE(chip.name);
    SimulatedBin bin(chip, 3, {}, 0.3);
    Simulation& simulation = bin.simulation();
    ASSERT_NO_FATAL_FAILURE(learn(bin));
    const Configuration learnt = simulation.configuration();
    simulation.set_others(chip.cores / 2);
    bin.run_until(simulation.now_s() + kTakenSeconds);
    const int trainings = bin.controller().totals().trainings;
    EXPECT_LE(trainings, 2);
    const std::size_t told = bin.decisions().size();
    simulation.set_others(0);
    bin.run_until(simulation.now_s() + kTakenSeconds);
    EXPECT_GT(bin.decisions().size(), told);
    EXPECT_EQ(bin.controller().totals().trainings, trainings);
    EXPECT_GE(rate_fps(chip, simulation.configuration(), 0) / rate_fps(chip, learnt, 0), 0.95);
  }
}

}  // namespace
}  // namespace tandem::test
