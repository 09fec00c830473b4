// SPDX-License-Identifier: LGPL-2.1-or-later
// What holds for every chip, on seeded random ones.
#include <gtest/gtest.h>

#include "model/predict/predict.h"
#include "tests/model/example_chip.h"

namespace tandem {
namespace {

constexpr int kChips = 100;

template <class Check>
void on_random_chips(Check check) {
  for (int seed = 0; seed < kChips; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    Measurements m = random_chip(random);
    check(m, random);
  }
}

uint32_t device_capable(const Measurements& m) {
  uint32_t bits = 0;
  for (std::size_t k = 0; k < m.stages.size(); ++k) bits |= m.stages[k].has_device ? 1u << k : 0;
  return bits;
}

std::vector<Configuration> all(const Measurements& m) {
  return all_configurations(static_cast<int>(m.stages.size()), m.cores, device_capable(m));
}

TEST(Properties, AllConfigurationsAreVisitedInOrderWithTheirPrediction) {
  on_random_chips([](const Measurements& m, auto&) {
    std::vector<Configuration> expected = all(m);
    std::ranges::stable_sort(expected, std::greater<>{},
                             [](const Configuration& c) { return c.mapping.device_stages(); });
    std::size_t i = 0;
    Model(m).predict_all([&](const Configuration& c, const Prediction& p) {
      ASSERT_LT(i, expected.size());
      EXPECT_EQ(to_string(c), to_string(expected[i]));
      EXPECT_EQ(c.threads, expected[i].threads);
      const Prediction alone = predict(m, c);
      EXPECT_EQ(alone.throughput_fps, p.throughput_fps);
      EXPECT_EQ(alone.energy_j, p.energy_j);
      ++i;
    });
    EXPECT_EQ(i, expected.size());
  });
}

// Vilches, section II-B: 48 for s = 3 and 384 for s = 6 on four cores.
TEST(Properties, CountsAreThePapers) {
  Measurements m = example_chip();
  for (const auto& [stages, count] : {std::pair{3, 48}, {6, 384}}) {
    m.stages.resize(stages, m.stages[0]);
    int visited = 0;
    Model(m).predict_all([&](const Configuration&, const Prediction& p) {
      EXPECT_TRUE(known(p.throughput_fps));
      ++visited;
    });
    EXPECT_EQ(visited, count);
  }
}

TEST(Properties, EverythingIsKnownAndPossible) {
  on_random_chips([](const Measurements& m, auto&) {
    for (const Configuration& c : all(m)) {
      const Prediction p = predict(m, c);
      EXPECT_GT(p.throughput_fps, 0);
      EXPECT_GT(p.energy_j, 0);
      EXPECT_GE(p.p_device, 0);
      EXPECT_LE(p.p_device, 1);
      EXPECT_EQ(p.p_device > 0, c.mapping.any_device());
      EXPECT_NEAR(p.power_w, p.energy_j * p.throughput_fps, 1e-9 * p.power_w);
    }
  });
}

// Equation 3: both paths together are as fast as either alone.
TEST(Properties, DecoupledIsNoSlowerThanEitherSide) {
  on_random_chips([](const Measurements& m, auto&) {
    const int stages = static_cast<int>(m.stages.size());
    const Mapping none{0, stages}, every{(1u << stages) - 1, stages};
    if (device_capable(m) != every.device_stages()) return;
    const double device_fps = predict(m, {every, Granularity::coarse, 1}).throughput_fps;
    for (int n = 1; n <= m.cores; ++n) {
      const double both = predict(m, {every, Granularity::coarse, n + 1}).throughput_fps;
      EXPECT_GE(both, device_fps);
      EXPECT_GE(both, predict(m, {none, Granularity::coarse, n}).throughput_fps);
    }
    const double both = predict(m, {every, Granularity::medium, 1}).throughput_fps;
    EXPECT_GE(both, predict(m, {none, Granularity::medium, 1}).throughput_fps);
  });
}

// Equations 3-5 and 9: paths' probabilities weigh what they do. With one domain that adds up, the
// energy is the mean over the paths, so it lies between theirs.
TEST(Properties, ProbabilitiesSumToOne) {
  on_random_chips([](Measurements& m, auto&) {
    m.domains = {.u = Domain::additive};
    const int stages = static_cast<int>(m.stages.size());
    const Mapping none{0, stages}, every{(1u << stages) - 1, stages};
    if (device_capable(m) != every.device_stages()) return;
    const double device_j = predict(m, {every, Granularity::coarse, 1}).energy_j;
    for (int n = 1; n <= m.cores; ++n) {
      const Prediction p = predict(m, {every, Granularity::coarse, n + 1});
      const double cpu_j = predict(m, {none, Granularity::coarse, n}).energy_j;
      EXPECT_NEAR(p.energy_j, p.p_device * device_j + (1 - p.p_device) * cpu_j, 1e-9 * p.energy_j);
    }
  });
}

TEST(Properties, PowerStaysWithinTheThermalDesignPower) {
  on_random_chips([](Measurements& m, auto&) {
    std::vector<Prediction> free;
    for (const Configuration& c : all(m)) free.push_back(predict(m, c));
    m.tdp_w = 15;
    for (std::size_t i = 0; const Configuration& c : all(m)) {
      const Prediction p = predict(m, c);
      EXPECT_LE(p.power_w, m.tdp_w * (1 + 1e-9));
      EXPECT_LE(p.energy_j, free[i].energy_j);
      EXPECT_EQ(p.throughput_fps, free[i].throughput_fps);
      ++i;
    }
  });
}

TEST(Properties, AnUnknownEnergyReachesExactlyWhatNeedsIt) {
  on_random_chips([](Measurements& m, std::mt19937& random) {
    const auto k = random() % m.stages.size();
    m.stages[k].device.joules.g = kUnknown;
    for (const Configuration& c : all(m)) {
      const Prediction p = predict(m, c);
      EXPECT_EQ(known(p.energy_j), !c.mapping.on_device(static_cast<int>(k))) << to_string(c);
      EXPECT_EQ(known(p.power_w), known(p.energy_j));
      EXPECT_TRUE(known(p.throughput_fps));
    }
  });
}

// A device that gets faster, or a window that gets wider, slows nothing down. (Coupled mappings may
// have it that a frame comes just too early for the device.)
TEST(Properties, FasterPartsMakeNothingSlower) {
  on_random_chips([](Measurements& m, std::mt19937& random) {
    m.window = 2 * (m.cores + 1);
    Measurements faster = m, wider = m;
    faster.stages[random() % m.stages.size()].device.seconds *= 0.5;
    wider.window *= 2;
    for (const Configuration& c : all(m)) {
      const double before = predict(m, c).throughput_fps * (1 - 1e-12);
      if (c.mapping.decoupled()) {
        EXPECT_GE(predict(faster, c).throughput_fps, before) << to_string(c);
      }
      EXPECT_GE(predict(wider, c).throughput_fps, before) << to_string(c);
    }
  });
}

}  // namespace
}  // namespace tandem
