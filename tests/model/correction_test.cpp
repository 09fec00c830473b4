// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/correction.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

constexpr Mapping kAll{7, 3}, kFirst{1, 3}, kNone{0, 3};

Configuration coarse(Mapping mapping, int threads) {
  return {mapping, Granularity::coarse, threads};
}

Prediction expected(double fps, double energy_j) {
  return {fps, energy_j, kUnknown, fps * energy_j};
}

Trial trial(const Configuration& configuration, double fps_error, double energy_error = 1) {
  return {configuration, expected(100, 2), expected(100 * fps_error, 2 * energy_error)};
}

double corrected_fps(const std::vector<Trial>& trials, const Configuration& configuration) {
  return corrected(trials, configuration, expected(200, 3)).throughput_fps;
}

TEST(Trials, WhatWasTriedIsAsMeasured) {
  const std::vector<Trial> trials{trial(coarse(kAll, 9), 0.5)};
  EXPECT_EQ(corrected_fps(trials, coarse(kAll, 9)), 50);
}

TEST(Trials, ErrorsGrowWithTheSquareOfTheWayBetweenThoseTried) {
  const std::vector<Trial> trials{trial(coarse(kAll, 9), 0.5, 2)};
  EXPECT_DOUBLE_EQ(corrected_fps(trials, coarse(kAll, 1)), 200) << "one thread is right";
  EXPECT_DOUBLE_EQ(corrected_fps(trials, coarse(kAll, 5)), 200 * (1 - 0.5 * 0.25));
  EXPECT_DOUBLE_EQ(corrected_fps(trials, coarse(kAll, 10)), 200) << "another rhythm, perhaps";
  const Prediction p = corrected(trials, coarse(kAll, 5), expected(200, 3));
  EXPECT_DOUBLE_EQ(p.energy_j, 3 * 1.25);
  EXPECT_DOUBLE_EQ(p.power_w, p.energy_j * p.throughput_fps);

  const Prediction more =
      corrected(std::vector{trial(coarse(kAll, 5), 0.8, 1.5)}, coarse(kAll, 9), expected(200, 3));
  EXPECT_EQ(more.throughput_fps, 200);
  EXPECT_DOUBLE_EQ(more.power_w, 600 * 0.8 * 1.5) << "the rhythm may be another one, not the watts";

  const std::vector<Trial> both{trial(coarse(kAll, 9), 0.5), trial(coarse(kAll, 5), 0.9)};
  EXPECT_DOUBLE_EQ(corrected_fps(both, coarse(kAll, 7)), 200 * (0.9 - 0.4 * 0.25));
}

TEST(Trials, AMappingThatWasNotTriedErrsAsTheOthersDo) {
  const Mapping other{2, 3};
  const std::vector<Trial> trials{trial(coarse(kAll, 9), 0.5), trial(coarse(kFirst, 9), 0.7)};
  EXPECT_DOUBLE_EQ(corrected_fps(trials, coarse(other, 9)), 200 * 0.6);
  EXPECT_DOUBLE_EQ(corrected_fps(trials, coarse(other, 5)), 200 * (1 - 0.4 * 0.25));
  EXPECT_DOUBLE_EQ(corrected_fps(trials, coarse(kAll, 5)), 200 * (1 - 0.5 * 0.25))
      << "its own trial says more";
}

TEST(Trials, WhereLanesFallShortAllThreadsAndMoreLanesDo) {
  const Mapping other{2, 3};
  const auto lanes = [](Configuration configuration, int n) {
    configuration.lanes = n;
    return configuration;
  };
  const std::vector<Trial> trials{trial(lanes(coarse(kFirst, 13), 2), 0.6),
                                  trial(lanes(coarse(kFirst, 5), 2), 0.5)};
  EXPECT_DOUBLE_EQ(corrected_fps(trials, lanes(coarse(kFirst, 12), 2)), 200 * 0.6);
  EXPECT_DOUBLE_EQ(corrected_fps(trials, lanes(coarse(kFirst, 16), 2)), 200 * 0.6);
  EXPECT_DOUBLE_EQ(corrected_fps(trials, lanes(coarse(kFirst, 6), 2)), 200 * 0.5);
  EXPECT_DOUBLE_EQ(corrected_fps(trials, lanes(coarse(other, 14), 2)), 200 * 0.6);
  EXPECT_DOUBLE_EQ(corrected_fps(trials, lanes(coarse(kFirst, 14), 8)), 200 * 0.6) << "as with two";
  EXPECT_TRUE(lanes_fall_short(trials, lanes(coarse(other, 14), 4)));
  // One lane, one thread, and no stage on the cores: nothing there says so.
  EXPECT_DOUBLE_EQ(corrected_fps(trials, coarse(kFirst, 12)), 200);
  EXPECT_FALSE(lanes_fall_short(trials, lanes(coarse(kFirst, 1), 2)));
  EXPECT_FALSE(lanes_fall_short(trials, lanes(coarse(kAll, 12), 2)));
  const std::vector<Trial> nearly{trial(lanes(coarse(kFirst, 13), 2), 0.9)};
  EXPECT_DOUBLE_EQ(corrected_fps(nearly, lanes(coarse(kFirst, 14), 2)), 200) << "another rhythm";
  EXPECT_FALSE(lanes_fall_short(nearly, lanes(coarse(kFirst, 14), 2)));
}

TEST(Trials, TeachNothingOfTheCpuAloneNorOfMediumGrain) {
  const std::vector<Trial> trials{trial(coarse(kAll, 9), 0.5), trial(coarse(kNone, 9), 0.5)};
  EXPECT_EQ(corrected_fps(trials, coarse(kNone, 5)), 200);
  EXPECT_EQ(corrected_fps(trials, {kAll, Granularity::medium, 9}), 200);
}

TEST(Trials, ALookInWhichTheMachineStoodStillSaysNothing) {
  const auto mean_fps = [](const std::vector<double>& rates) {
    std::vector<Prediction> looks;
    for (const double fps : rates) looks.push_back(expected(fps, 1));
    return mean_of_looks(looks, std::vector<double>(looks.size(), 1)).throughput_fps;
  };
  EXPECT_DOUBLE_EQ(mean_fps({20}), 20);
  EXPECT_DOUBLE_EQ(mean_fps({100, 20}), 100);
  EXPECT_DOUBLE_EQ(mean_fps({20, 100, 90}), 95);
  EXPECT_DOUBLE_EQ(mean_fps({130, 90, 90, 90}), 100) << "one that is fast is no reason";
}

TEST(Trials, TwoLooksContradictEachOtherWhereOneOfThemDoesNotCount) {
  const auto contradict = [](const std::vector<double>& rates) {
    std::vector<Prediction> looks;
    for (const double fps : rates) looks.push_back(expected(fps, 1));
    return contradict_each_other(looks);
  };
  EXPECT_TRUE(contradict({100, 79}));
  EXPECT_TRUE(contradict({79, 100}));
  EXPECT_FALSE(contradict({100, 81}));
  EXPECT_FALSE(contradict({100}));
  EXPECT_FALSE(contradict({100, 79, 80})) << "a third one has said";
}

TEST(Trials, LooksWithoutANewValueOfTheCounterSayNothingOfEnergy) {
  const std::vector<Prediction> looks{expected(100, 2), expected(90, kUnknown), expected(80, 3)};
  const Prediction mean = mean_of_looks(looks, std::vector<double>(3, 1));
  EXPECT_DOUBLE_EQ(mean.throughput_fps, 90);
  EXPECT_DOUBLE_EQ(mean.energy_j, 2.5);
  EXPECT_DOUBLE_EQ(mean.power_w, 225);
}

TEST(Trials, EnergyThatNobodyMeasuredIsNotCorrected) {
  Trial unknown = trial(coarse(kAll, 9), 0.5);
  unknown.measured.energy_j = kUnknown;
  EXPECT_EQ(corrected(std::vector{unknown}, coarse(kAll, 5), expected(200, 3)).energy_j, 3);
}

}  // namespace
}  // namespace tandem
