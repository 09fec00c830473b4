// SPDX-License-Identifier: LGPL-2.1-or-later
// Our model beside the paper's: the same where executor and paper agree.
#include <gtest/gtest.h>

#include "tests/model/example_chip.h"
#include "tests/model/paper_model.h"

namespace tandem {
namespace {

Configuration configuration(const char* mapping, Granularity granularity, int threads) {
  Configuration c{{}, granularity, threads};
  EXPECT_EQ(parse_mapping(mapping, 3, c.mapping), "");
  return c;
}

void expect(const Prediction& p, double throughput_fps, double energy_j, double p_device) {
  EXPECT_NEAR(p.throughput_fps, throughput_fps, 1e-9 * throughput_fps);
  EXPECT_NEAR(p.energy_j, energy_j, 1e-9 * energy_j);
  EXPECT_NEAR(p.p_device, p_device, 1e-9);
}

// Table IV with n = 2: mu_GPU = 1/4 ms = 250, mu_CPUA = 1/(10 + 20 ms) = 100/3,
// mu_CPUB = 1/T(3) - 1/T(1) = 50 - 20 = 30; lambda = 190/3, p = 10/19. Equation 10 in 19ths:
//   C: max(10 0.01, 10 0.30 + 9 0.40) = 6.6   G: max(10 0.04, 0) = 0.4
//   U: max(10 0.02, 10 0.10 + 9 0.15) = 2.35
TEST(Paper, CoupledCoarse) {
  expect(paper_model(example_chip(), configuration("gcc", Granularity::coarse, 3)), 190.0 / 3,
         9.35 / 19, 10.0 / 19);
}

// Table IV: min(250, 1/(4 + 10 ms)), mu_CPUB = 0.
//   C: max(0.01, 0.25)   G: 0.04   U: max(0.02, 0.07)
TEST(Paper, CoupledMedium) {
  expect(paper_model(example_chip(), configuration("gcc", Granularity::medium, 5)), 1 / 0.014, 0.36,
         1);
}

// Tables I to III: what runs on one side alone, or on both at once without meeting.
TEST(Paper, IsOursWhereNoFrameCrossesOver) {
  for (int seed = 0; seed < 100; ++seed) {
    std::mt19937 random(seed);
    Measurements m = random_chip(random);
    if (seed % 2 == 0) m.tdp_w = 30;
    const int stages = static_cast<int>(m.stages.size());
    for (StageMeasurements& stage : m.stages) stage.has_device = true;
    for (const Configuration& c : all_configurations(stages, m.cores, ~0u)) {
      if (c.mapping.any_device() && !c.mapping.decoupled()) continue;
      const Prediction paper = paper_model(m, c), ours = predict(m, c);
      expect(ours, paper.throughput_fps, paper.energy_j, paper.p_device);
    }
  }
}

}  // namespace
}  // namespace tandem
