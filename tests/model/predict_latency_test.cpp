// SPDX-License-Identifier: LGPL-2.1-or-later
// The 95th percentile of latency, worked by hand from docs/model.md for example_chip().
#include <gtest/gtest.h>

#include "model/objective.h"
#include "tests/model/example_chip.h"

namespace tandem {
namespace {

double latency_ms(const Measurements& m, const std::string& name) {
  Configuration configuration;
  EXPECT_EQ(parse_configuration(name, 3, m.cores, configuration), "");
  return 1e3 * predict(m, configuration).latency_s;
}

// n T^CG(n), and the sum of T^MG.
TEST(Latency, OnTheCpuAlone) {
  EXPECT_NEAR(latency_ms(example_chip(), "ccc/cg1"), 50, 1e-9);
  EXPECT_NEAR(latency_ms(example_chip(), "ccc/cg3"), 3 * 20, 1e-9);
  EXPECT_NEAR(latency_ms(example_chip(), "ccc/mg"), 20, 1e-9);
}

// The 'g' stages on the device and the 'c' stages on a core; nobody else computes.
TEST(Latency, OfOneThread) {
  EXPECT_NEAR(latency_ms(example_chip(), "ggg/cg1"), 40, 1e-9);
  EXPECT_NEAR(latency_ms(example_chip(), "gcc/cg1"), 4 + 30, 1e-9);
}

// Four threads take 64 ms for a frame, and 5 of 7 frames are theirs: the others wait for them.
// Under medium grain a frame takes 20 ms on the cores and may wait for one on the device.
TEST(Latency, IsThatOfTheSlowerPath) {
  EXPECT_NEAR(latency_ms(example_chip(), "ggg/cg5"), 4 * 16, 1e-9);
  EXPECT_NEAR(latency_ms(example_chip(), "ggg/mg"), 40, 1e-9);
}

// The device takes 0.4 ms and one core 50 ms: of 126 frames one takes the core. At any time one is
// under way there. 5% of all frames are that one and those that begin in the first 4.24% of it.
TEST(Latency, OfFramesThatWaitForAnOlderOne) {
  Measurements m = example_chip();
  for (StageMeasurements& stage : m.stages) stage.device.seconds /= 100;
  EXPECT_NEAR(latency_ms(m, "ggg/cg2"), 50 * (1 - (0.05 * 1.008 - 0.008)), 1e-9);
  EXPECT_NEAR(latency_ms(m, "ggg/cg1"), 0.4, 1e-9);
}

// The cores take 14 ms for the 'c' stages of a frame, those of the frame before come first, and the
// device's 4 ms pass meanwhile.
TEST(Latency, UnderMediumGrainAFrameWaitsForTheCores) {
  EXPECT_NEAR(latency_ms(example_chip(), "gcc/mg"), 14 + 14, 1e-9);
}

TEST(Latency, SpreadsAsWasMeasured) {
  Measurements m = example_chip();
  m.cg_spread = {kUnknown, 1.5};
  m.mg_spread = 1.25;
  EXPECT_NEAR(latency_ms(m, "ccc/cg1"), 1.5 * 50, 1e-9);
  EXPECT_NEAR(latency_ms(m, "ccc/cg2"), 1.5 * 50, 1e-9);
  EXPECT_NEAR(latency_ms(m, "ccc/cg4"), 1.5 * 64, 1e-9);
  EXPECT_NEAR(latency_ms(m, "ccc/mg"), 1.25 * 20, 1e-9);
}

TEST(Latency, IsUnknownWhereATimeIs) {
  Measurements m = example_chip();
  m.cg[3].seconds = kUnknown;
  EXPECT_FALSE(known(predict(m, {{7, 3}, Granularity::coarse, 5}).latency_s));
  EXPECT_TRUE(known(predict(m, {{7, 3}, Granularity::coarse, 4}).latency_s));
}

TEST(Latency, TheTargetTakesTheFastestThatStaysBelow) {
  const Measurements m = example_chip();
  Constraints cpu;
  cpu.mapping = Mapping{0, 3};
  const auto in = [&](double target_s) { return choose(m, {.target_latency_s = target_s}, cpu); };
  // 80 frames/s in 62.5 ms, 50 in 20.
  EXPECT_EQ(to_string(in(0.063).best().configuration), "ccc/cg5");
  EXPECT_EQ(to_string(in(0.059).best().configuration), "ccc/mg");
  EXPECT_FALSE(in(0.059).latency_missed);
  EXPECT_EQ(to_string(in(0.010).best().configuration), "ccc/mg");
  EXPECT_TRUE(in(0.010).latency_missed);
}

// With a tenth to spare: ccc/mg makes 50 frames/s in 20 ms, ccc/cg4 62.5 in 64, ccc/cg5 80 in 62.5.
TEST(Latency, WhatDoesNotKeepUpWithALiveSourceIsLeft) {
  Constraints cpu;
  cpu.mapping = Mapping{0, 3};
  const auto by = [&](const Objective& objective) {
    return to_string(choose(example_chip(), objective, cpu).best().configuration);
  };
  EXPECT_EQ(by({.metric = Metric::latency, .source_fps = 45}), "ccc/mg");
  EXPECT_EQ(by({.metric = Metric::latency, .source_fps = 50}), "ccc/cg5") << "the others are slow";
  EXPECT_EQ(by({.metric = Metric::latency, .source_fps = 100}), "ccc/cg5") << "so is the fastest";
  EXPECT_EQ(by({.target_latency_s = 0.020, .source_fps = 50}), "ccc/cg5")
      << "the least latency of those that keep up";
  EXPECT_EQ(by({.source_fps = 100}), "ccc/cg5") << "without latency as an aim it does not matter";
}

// Above the target nothing counts but to come below, whatever the noise.
// Alone a frame takes as long with two lanes. With two frames at a time they were measured to
// answer sooner than one that is alone, for which the device has to wake up.
TEST(Latency, MoreLanesAnswerNoSooner) {
  Measurements m = example_chip();
  m.lane_factors[1] = {0.5, 1};
  const auto trial = [&](int lanes, double latency_s) {
    const Configuration c{{7, 3}, Granularity::coarse, 1, lanes};
    Trial made{c, predict(m, c), {}};
    made.measured = made.predicted;
    made.measured.latency_s = latency_s;
    return made;
  };
  const std::vector<Trial> trials{trial(1, 2e-3), trial(2, 1.5e-3)};
  const auto best = [&](const Objective& objective, const Constraints& allowed = {}) {
    return to_string(choose(m, objective, allowed, trials).best().configuration);
  };
  EXPECT_EQ(best({Metric::latency}), "ggg/cg1");
  EXPECT_EQ(best({Metric::latency}, {.lanes = 2}), "ggg/cg1/q2") << "where they are asked for";
  const double one_fps = trials[0].measured.throughput_fps;
  EXPECT_EQ(best({.metric = Metric::latency, .source_fps = one_fps}), "ggg/cg1/q2")
      << "where one lane does not keep up";
}

TEST(Latency, WhatIsLateIsLeft) {
  const Objective objective{.target_latency_s = 0.050};
  const Prediction late{100, kUnknown, 0, kUnknown, 0.051},
      in_time{50, kUnknown, 0, kUnknown, 0.04};
  EXPECT_TRUE(worth_switching(late, in_time, objective, 0.1));
  EXPECT_FALSE(worth_switching(in_time, late, objective, 0));
  EXPECT_FALSE(worth_switching({100, kUnknown, 0, kUnknown, 0.050},
                               {100, kUnknown, 0, kUnknown, 0.049}, {Metric::latency}, 0.05));
}

}  // namespace
}  // namespace tandem
