// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

namespace tandem {
namespace {

// By the trapezoidal rule, from 8 deviations below the mean to 8 above it.
double integral_of_greatest(const std::vector<Line>& lines) {
  constexpr int kSteps = 40000;
  constexpr double kFrom = -8, kStep = 16.0 / kSteps;
  double sum = 0;
  for (int i = 0; i <= kSteps; ++i) {
    const double z = kFrom + i * kStep;
    double greatest = -std::numeric_limits<double>::infinity();
    for (const Line& line : lines) greatest = std::max(greatest, line.at_0 + line.slope * z);
    sum += greatest * std::exp(-z * z / 2);
  }
  return sum * kStep / std::sqrt(2 * std::numbers::pi);
}

TEST(ValueTest, TheMeanOfTheGreatestLineIsItsIntegral) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  for (int set = 0; set < 50; ++set) {
    std::vector<Line> lines(1 + set % 9);
    for (Line& line : lines) line = {normal(random), normal(random)};
    if (set % 3 == 0) lines.push_back(lines.front());  // equal ones
    if (set % 4 == 0) lines.push_back({lines.front().slope, lines.front().at_0 + 0.1});
    const double expected = integral_of_greatest(lines);
    EXPECT_NEAR(mean_of_greatest(lines), expected, 1e-6) << set;
  }
}

TEST(ValueTest, WhatNothingCanChangeGainsNothing) {
  std::vector<Line> lines{{0, 1}, {0, 2}, {0, -1}};
  EXPECT_EQ(mean_of_greatest(lines), 2);
}

TEST(ValueTest, OnePercentIsOneHundredthWhateverIsAskedFor) {
  const Prediction one{100, 2, 0.5, 200, 0.1}, better{101, 2 / 1.01, 0.5, 200, 0.1 / 1.01};
  for (const Metric metric :
       {Metric::throughput, Metric::energy, Metric::efficiency, Metric::edp, Metric::latency})
    EXPECT_NEAR(value_of(better, {metric}) - value_of(one, {metric}), std::log(1.01), 1e-9);
}

TEST(ValueTest, AConditionThatIsMissedCountsMoreThanWhatIsOptimised) {
  const Prediction fast{100, 2, 0.5, 200, 0.1}, slow{80, 1, 0.5, 80, 0.2};
  EXPECT_GT(value_of(slow, {.target_fps = 80}), value_of(fast, {.target_fps = 80}));
  EXPECT_LT(value_of(slow, {.target_fps = 90}), value_of(fast, {.target_fps = 90}));
  EXPECT_GT(value_of(slow, {.power_budget_w = 100}), value_of(fast, {.power_budget_w = 100}));
  EXPECT_LT(value_of(slow, {.power_budget_w = 300}), value_of(fast, {.power_budget_w = 300}));
  EXPECT_LT(value_of(slow, {.target_latency_s = 0.15}), value_of(fast, {.target_latency_s = 0.15}));
  const Objective live{.metric = Metric::latency, .source_fps = 95};
  EXPECT_GT(value_of(fast, live), value_of({90, 1, 0.5, 80, 0.09}, live)) << "it falls behind";
}

TEST(ValueTest, WhatIsNotKnownHasNoValue) {
  EXPECT_FALSE(std::isfinite(value_of({}, {})));
  EXPECT_FALSE(std::isfinite(value_of({100, kUnknown, 0, kUnknown, 0.1}, {Metric::energy})));
  EXPECT_TRUE(std::isfinite(value_of({100, kUnknown, 0, kUnknown, 0.1}, {})));
}

}  // namespace
}  // namespace tandem
