// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames on both sides, and several over a part of the cores each, worked by hand for
// example_chip().
#include <gtest/gtest.h>

#include <set>

#include "model/objective.h"
#include "tests/model/example_chip.h"

namespace tandem {
namespace {

// All rows take 20 ms on the cores and 40 ms on the device, as whole frames do.
Measurements split_chip() {
  Measurements m = example_chip();
  for (StageMeasurements& stage : m.stages) stage.can_split = true;
  m.split = {{1e-3, 20e-3}, {2e-3, 40e-3}, 10, 20, 5, 67};
  return m;
}

Prediction predicted(const Measurements& m, const std::string& name) {
  Configuration configuration;
  EXPECT_EQ(parse_configuration(name, 3, m.cores, configuration), "");
  return predict(m, configuration);
}

TEST(PredictSplit, TheSlowerSideDecides) {
  const Prediction p = predicted(split_chip(), "sss/mg/a67");
  EXPECT_NEAR(p.latency_s, 15.2e-3, 1e-9);
  EXPECT_NEAR(p.throughput_fps, 1 / 15.2e-3, 1e-6);
  EXPECT_NEAR(p.energy_j, 10 * 15.2e-3 + 20 * 14.4e-3 + 5 * 15.2e-3, 1e-9);
  EXPECT_NEAR(p.power_w, p.energy_j * p.throughput_fps, 1e-9);
  EXPECT_EQ(p.p_device, 1);
  EXPECT_NEAR(predicted(split_chip(), "sss/mg/a90").latency_s, 19e-3, 1e-9);
}

// The first stage is 6 of 20 ms on the cores and 4 of 40 ms on the device; the others are whole.
TEST(PredictSplit, StagesThatAreNotSplitComeBesides) {
  const Prediction p = predicted(split_chip(), "scg/mg/a50");
  const double split_s = std::max(1e-3 + 0.5 * 6e-3, 2e-3 + 0.5 * 4e-3);
  EXPECT_NEAR(p.latency_s, split_s + 4e-3 + 20e-3, 1e-9);
  Measurements m = split_chip();
  m.stages[1].can_split = false;
  EXPECT_FALSE(known(predicted(m, "sss/mg/a50").throughput_fps)) << "it cannot be split";
}

// A frame over half of the cores takes 20 + (64 - 20) / 3 ms.
TEST(PredictSplit, FramesAtATimeLieBetweenMediumAndCoarseGrain) {
  const Measurements m = split_chip();
  const Prediction two = predicted(m, "ccc/mg2");
  EXPECT_NEAR(two.latency_s, 20e-3 + 44e-3 / 3, 1e-9);
  EXPECT_NEAR(two.throughput_fps, 2 / two.latency_s, 1e-6);
  EXPECT_NEAR(predicted(m, "ccc/mg4").throughput_fps, predicted(m, "ccc/cg4").throughput_fps, 1e-6);
  EXPECT_NEAR(predicted(m, "ccc/mg4").power_w, predicted(m, "ccc/cg4").power_w, 1e-6);
  EXPECT_NEAR(predicted(m, "ggg/mg2").throughput_fps, 25 + two.throughput_fps, 1e-6);
  EXPECT_NEAR(predicted(m, "ggg/mg2").latency_s, 40e-3, 1e-9);
  EXPECT_FALSE(known(predicted(m, "gcc/mg2").throughput_fps));
}

TEST(PredictSplit, FramesAtATimeShareTheDevice) {
  const Prediction two = predicted(split_chip(), "sss/mg2/a99");
  const double alone_s = (1e-3 + 0.99 * 20e-3) * (20 + 44.0 / 3) / 20;
  EXPECT_NEAR(two.latency_s, alone_s, 1e-9);
  EXPECT_NEAR(two.throughput_fps, 2 / alone_s, 1e-6);
  EXPECT_NEAR(predicted(split_chip(), "sss/mg2/a1").throughput_fps, 1 / 41.6e-3, 1e-6);
}

TEST(PredictSplit, AllThatIsOfferedIsVisited) {
  Measurements m = split_chip();
  m.stages[1].can_split = false;
  std::set<std::string> offered, visited;
  for (const Configuration& c : all_configurations(3, 4, 7, kOneLane, 1, 0, 5, {{67}}))
    offered.insert(to_string(c));
  Model(m).predict_all([&](const Configuration& configuration, const Prediction& prediction) {
    visited.insert(to_string(configuration));
    const Prediction alone = predict(m, configuration);
    EXPECT_EQ(prediction.throughput_fps, alone.throughput_fps) << to_string(configuration);
    EXPECT_EQ(prediction.latency_s, alone.latency_s) << to_string(configuration);
  });
  EXPECT_EQ(visited, offered);
}

TEST(PredictSplit, NothingIsOfferedWithoutASplitThatWasMeasured) {
  Measurements m = split_chip();
  m.split = {};
  Model(m).predict_all([](const Configuration& configuration, const Prediction&) {
    EXPECT_FALSE(configuration.mapping.any_split()) << to_string(configuration);
  });
  for (StageMeasurements& stage : m.stages) stage.can_split = false;
  Model(m).predict_all([](const Configuration& configuration, const Prediction&) {
    EXPECT_EQ(configuration.frames_at_once, 1) << to_string(configuration);
  });
}

TEST(PredictSplit, IsChosenWhereItClearlyBeatsWholeFrames) {
  Measurements m = split_chip();
  const Objective latency{Metric::latency};
  EXPECT_EQ(to_string(choose(m, latency).best().configuration), "sss/mg/a67");
  m.split.cores.rows_s = 26e-3;  // 18.4 ms, and whole frames take 20 ms
  EXPECT_EQ(to_string(choose(m, latency).best().configuration), "sss/mg/a67");
  m.split.cores.rows_s = 27e-3;  // 19.1 ms
  EXPECT_EQ(to_string(choose(m, latency).best().configuration), "ccc/mg");
  const Constraints told{.mapping = Mapping{7, 3, Side::s}};
  EXPECT_EQ(to_string(choose(m, latency, told).best().configuration), "sss/mg/a67");
  const Constraints never{.cpu_share = 0};
  EXPECT_EQ(to_string(choose(split_chip(), latency, never).best().configuration), "ccc/mg");
}

TEST(PredictSplit, UnknownWattsLeaveTheEnergyUnknown) {
  Measurements m = split_chip();
  m.split.static_w = kUnknown;
  EXPECT_FALSE(known(predicted(m, "sss/mg/a67").energy_j));
  EXPECT_TRUE(known(predicted(m, "sss/mg/a67").latency_s));
}

}  // namespace
}  // namespace tandem
