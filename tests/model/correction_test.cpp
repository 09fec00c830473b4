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

TEST(Trials, TeachNothingOfTheCpuAloneNorOfMediumGrain) {
  const std::vector<Trial> trials{trial(coarse(kAll, 9), 0.5), trial(coarse(kNone, 9), 0.5)};
  EXPECT_EQ(corrected_fps(trials, coarse(kNone, 5)), 200);
  EXPECT_EQ(corrected_fps(trials, {kAll, Granularity::medium, 9}), 200);
}

TEST(Trials, LooksWithoutANewValueOfTheCounterSayNothingOfEnergy) {
  const std::vector<Prediction> looks{expected(100, 2), expected(90, kUnknown), expected(80, 3)};
  const Prediction mean = mean_of_looks(looks);
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
