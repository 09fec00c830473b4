// SPDX-License-Identifier: LGPL-2.1-or-later
// What the controller chooses on chips described after Table V of Vilches, beside that table.
#include "tests/virtual_chip/chip/table_v.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/virtual_chip/chip/exhaustive.h"
#include "tests/virtual_chip/chip/simulated_bin.h"

namespace tandem::test {
namespace {

constexpr unsigned kSeed = 5;
constexpr int kFrames = 2000, kMostFrames = 1'000'000;

Configuration coarse(const Mapping& mapping, int threads) {
  return {mapping, Granularity::coarse, threads};
}

void compare(const PaperCase& one, const PaperRow& paper, Metric metric) {
  const Chip chip = chip_of(one);
  const int stages = static_cast<int>(chip.stages.size());
  SimulatedBin bin(chip, kSeed, {metric});
  bin.frames_changed("frames");
  ASSERT_TRUE(bin.run_to_decision(kMostFrames));
  const Configuration chosen = bin.decisions().back().after;

  const auto value = [&](const Configuration& configuration, bool cpu_fallback = true) {
    return run_steadily(chip, configuration, kSeed, kFrames, cpu_fallback).value(metric);
  };
  const Mapping none{0, stages}, all{(1u << stages) - 1, stages};
  Mapping baseline;
  ASSERT_EQ(parse_mapping(one.baseline_mapping, stages, baseline), "");
  const double baseline_value = value({baseline, Granularity::medium, chip.cores + 1}, false);
  const double best_value = value(chosen);

  std::printf(
      "| %s | %s | %.3g / %.3g | %.3g / %.3g | %.3g / %.3g | %.3g / %.3g | %.3g / %.3g | "
      "%.0f%% / %.0f%% | %s / `%s` |\n",
      chip.name.c_str(), metric == Metric::throughput ? "fps" : "fps/J", paper.cpu_mg,
      value({none, Granularity::medium, chip.cores + 1}), paper.cpu_cg,
      value(coarse(none, chip.cores)), paper.gpu, value(coarse(all, 1)), paper.baseline,
      baseline_value, paper.best, best_value, paper.improvement_percent,
      100 * (best_value / baseline_value - 1), paper.best_configuration, to_string(chosen).c_str());

  EXPECT_EQ(chosen.granularity == Granularity::coarse, paper.best_is_coarse());
  EXPECT_GT(best_value, baseline_value);
}

TEST(TableV, TheGranularityIsThePapersAndTheChoiceBeatsTheBaseline) {
  std::printf(
      "each cell: the paper's / the virtual chip's\n"
      "| application, processor | metric | CPU MG | CPU CG | GPU | baseline | best | improvement | "
      "best configuration |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const PaperCase& one : table_v()) {
    SCOPED_TRACE(std::string(one.application) + ", " + one.processor);
    compare(one, one.throughput, Metric::throughput);
    compare(one, one.efficiency, Metric::efficiency);
  }
}

}  // namespace
}  // namespace tandem::test
