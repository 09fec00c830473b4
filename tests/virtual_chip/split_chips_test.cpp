// SPDX-License-Identifier: LGPL-2.1-or-later
// What the bin chooses on random chips whose stages can be split, against exhaustive search.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <vector>

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

using MakeChip = Chip (*)(unsigned seed);

Chip plain_chip(unsigned seed) { return with_split(random_chip(seed), seed); }
Chip chip_with_costs(unsigned seed) { return with_costs_of_both_sides(plain_chip(seed), seed); }

Decision decision_of(const Chip& chip, unsigned seed, const Objective& objective) {
  SimulatedBin bin(chip, seed, objective);
  bin.frames_changed("frames");
  EXPECT_TRUE(bin.run_to_decision(kMostFrames));
  return bin.decisions().back();
}

// One frame at a time on the better side: all that can be split on the device, or on the cores.
double better_side(const Exhaustive& exhaustive, const Chip& chip, Metric metric) {
  const int stages = static_cast<int>(chip.stages.size());
  const Configuration cores{{0, stages}, Granularity::medium, chip.cores + 1};
  const Configuration device{{chip.device_capable(), stages}, Granularity::coarse, 1};
  return std::max(exhaustive.look(cores).value(metric), exhaustive.look(device).value(metric));
}

/// What was chosen by one metric, on all chips.
class Choices {
 public:
  void add(const Exhaustive& exhaustive, const Chip& chip, unsigned seed, Metric metric) {
    const Decision decision = decision_of(chip, seed, {metric});
    const Exhaustive::Entry best = exhaustive.best(metric);
    const Steady chosen = exhaustive.look(decision.after);
    const double ratio = std::min(1.0, chosen.value(metric) / best.steady.value(metric));
    // The energy-delay product has the rate in it twice.
    EXPECT_GE(ratio, metric == Metric::edp ? 0.9 : 0.92)
        << "seed " << seed << ": " << to_string(decision.after) << " " << 1e3 * chosen.latency_s
        << " ms " << chosen.energy_j << " J, best " << to_string(best.configuration) << " "
        << 1e3 * best.steady.latency_s << " ms " << best.steady.energy_j << " J";
    sum_ += ratio;
    least_ = std::min(least_, ratio);
    ++chips_;
    best_split_ += best.configuration.mapping.any_split();
    if (!decision.after.mapping.any_split()) return;
    ++split_;
    worse_ += 1.03 * chosen.value(metric) < better_side(exhaustive, chip, metric);
  }

  void expect_best(const char* name) const {
    std::printf(
        "%s: %.2f%% of the best on average, %.2f%% at least; %d of %d chips split, best on %d; "
        "worse than the better side %d\n",
        name, 100 * sum_ / chips_, 100 * least_, split_, chips_, best_split_, worse_);
    EXPECT_GE(sum_ / chips_, 0.98) << name;
    EXPECT_EQ(worse_, 0) << name;
  }

 private:
  double sum_ = 0, least_ = 1;
  int chips_ = 0, split_ = 0, best_split_ = 0, worse_ = 0;
};

/// By least latency, energy and energy-delay product. The search of a chip, which takes most of the
/// time, serves all.
void expect_best(MakeChip make_chip) {
  Choices latency, energy, edp;
  for (unsigned seed = 0; seed < kChips; ++seed) {
    const Chip chip = make_chip(seed);
    if (chip.can_split() == 0) continue;
    const Exhaustive exhaustive(chip, seed);
    latency.add(exhaustive, chip, seed, Metric::latency);
    energy.add(exhaustive, chip, seed, Metric::energy);
    edp.add(exhaustive, chip, seed, Metric::edp);
  }
  latency.expect_best("latency");
  energy.expect_best("energy");
  edp.expect_best("energy-delay product");
}

TEST(SplitChips, TheChoiceIsTheBest) { expect_best(plain_chip); }
TEST(SplitChips, WithCostsOfBothSidesTheChoiceIsTheBest) { expect_best(chip_with_costs); }

// What a perfect training would measure of a chip whose stages can all be split.
Measurements measurements_of(const Chip& chip) {
  Measurements m = perfect_measurements(chip);
  Split& split = m.split;
  split.cores = {chip.split_cores_s, 0};
  split.device = {chip.split_device_s, chip.stages.front().upload_s};
  for (std::size_t k = 0; k < chip.stages.size(); ++k) {
    m.stages[k].can_split = true;
    split.cores.rows_s += chip.stages[k].medium_s;
    split.device.rows_s += chip.stages[k].device_s;
  }
  const double idle_w = power_w(chip, {}).sum();
  split.static_w = idle_w;
  split.cores_w = power_w(chip, {.medium = 1}).sum() - idle_w;
  split.device_w = power_w(chip, {.on_device = 1}).sum() - idle_w;
  return m;
}

// Predicted by simulated, of 100: the 5th, the median and the 95th.
struct Ratios {
  void add(double ratio) { all.push_back(ratio); }
  double of(int percent) {
    std::ranges::sort(all);
    return all[all.size() * static_cast<std::size_t>(percent) / 100];
  }
  std::vector<double> all;
};

void expect_near(const char* name, const char* what, Ratios& ratios, double least, double most) {
  std::printf("%s, %s: %.2f %.2f %.2f of simulated\n", name, what, ratios.of(5), ratios.of(50),
              ratios.of(95));
  EXPECT_GE(ratios.of(5), least) << name << ", " << what;
  EXPECT_LE(ratios.of(95), most) << name << ", " << what;
}

TEST(SplitChips, PredictionsAreNearWhatIsSimulated) {
  constexpr int kFrames = 1000;
  struct {
    const char* name;
    Side side;
    int frames_at_once;
  } const kinds[] = {{"split", Side::s, 1},
                     {"mg2, mg4 on the cores", Side::c, 2},
                     {"mg2, mg4 beside the device", Side::g, 2}};
  for (const auto& [name, side, frames_at_once] : kinds) {
    Ratios fps, latency, joules;
    for (unsigned seed = 0; seed < 60; ++seed) {
      Chip chip = random_chip(seed);
      for (Chip::Stage& stage : chip.stages) stage.can_split = true;
      chip.split_cores_s = chip.split_device_s = 1e-4;
      const int stages = static_cast<int>(chip.stages.size());
      const Measurements m = measurements_of(chip);
      Configuration c{{(1u << stages) - 1, stages, side}, Granularity::medium, chip.cores + 1};
      for (int i = 1; i <= 2; ++i) {
        c.frames_at_once = frames_at_once > 1 ? 2 * i : 1;
        if (side == Side::s) c.cpu_share = 30 * i;
        if (c.frames_at_once > chip.cores) continue;
        const Steady seen = run_steadily(chip, c, seed, kFrames);
        const Prediction p = predict(m, c);
        fps.add(p.throughput_fps / seen.throughput_fps);
        latency.add(p.latency_s / seen.latency_s);
        joules.add(p.energy_j / seen.energy_j);
      }
    }
    expect_near(name, "rate", fps, 0.97, 1.05);
    expect_near(name, "latency", latency, 0.8, 1.05);
    expect_near(name, "energy", joules, 0.95, 1.2);
  }
}

}  // namespace
}  // namespace tandem::test
