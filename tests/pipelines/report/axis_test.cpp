// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/report/axis.h"

#include <gtest/gtest.h>

#include <cmath>

#include "pipelines/report/markup.h"

namespace tandem::test {
namespace {

std::vector<std::string> labels(const Axis& axis) {
  std::vector<std::string> labels;
  for (const double tick : axis.ticks) labels.push_back(axis.label(tick));
  return labels;
}

TEST(ReportAxis, LinearTicksAreRoundNumbers) {
  EXPECT_EQ(labels(linear_axis(6690, 6)), (std::vector<std::string>{"0", "2000", "4000", "6000"}));
  EXPECT_EQ(labels(linear_axis(156, 4)), (std::vector<std::string>{"0", "50", "100", "150"}));
  EXPECT_EQ(labels(linear_axis(0.3, 3)), (std::vector<std::string>{"0", "0.1", "0.2", "0.3"}));
  EXPECT_EQ(labels(linear_axis(1, 4)), (std::vector<std::string>{"0", "0.25", "0.5", "0.75", "1"}));
  EXPECT_EQ(labels(linear_axis(123000, 3)), (std::vector<std::string>{"0", "50k", "100k"}));
}

TEST(ReportAxis, LinearCoversTheValuesWithSomeTicksOfEvenSteps) {
  for (int i = -60; i < 60; ++i) {
    const double most = std::pow(1.37, i);
    const Axis axis = linear_axis(most, 5);
    EXPECT_EQ(axis.position(0), 0);
    EXPECT_NEAR(axis.position(most), 1, 1e-9);
    ASSERT_GE(axis.ticks.size(), 3u) << most;
    ASSERT_LE(axis.ticks.size(), 6u) << most;
    for (std::size_t k = 1; k < axis.ticks.size(); ++k) {
      EXPECT_NEAR(axis.ticks[k] - axis.ticks[k - 1], axis.ticks[1], 1e-9 * most);
    }
    EXPECT_LE(axis.ticks.back(), most * (1 + 1e-6));
  }
}

TEST(ReportAxis, LogarithmicTicks) {
  EXPECT_EQ(labels(logarithmic_axis(0.05, 2, 8)),
            (std::vector<std::string>{"0.05", "0.1", "0.2", "0.5", "1", "2"}));
  EXPECT_EQ(labels(logarithmic_axis(2, 30000, 6)),
            (std::vector<std::string>{"10", "100", "1k", "10k"}));
  const Axis axis = logarithmic_axis(1, 100, 9);
  EXPECT_GT(axis.position(1), 0);
  EXPECT_LT(axis.position(100), 1);
  // Equal ratios are equal distances.
  EXPECT_NEAR(axis.position(10) - axis.position(1), axis.position(100) - axis.position(10), 1e-12);
}

TEST(ReportText, Numbers) {
  EXPECT_EQ(significant(6296.3), "6296");
  EXPECT_EQ(significant(402.4), "402");
  EXPECT_EQ(significant(16.453), "16.5");
  EXPECT_EQ(significant(0.012345), "0.0123");
  EXPECT_EQ(significant(0.0), "0");
  EXPECT_EQ(significant(std::optional<double>{}), kUnknown);
  EXPECT_EQ(percent(0.98765), "98.8%");
  EXPECT_EQ(signed_percent(0.0222), "+2.2%");
  EXPECT_EQ(signed_percent(-0.15), "\u221215.0%");
  EXPECT_EQ(signed_percent({}), kUnknown);
}

TEST(ReportText, EscapesWhatMarkupUses) {
  EXPECT_EQ(escaped("a<b>&\"c\"\n"), "a&lt;b&gt;&amp;&quot;c&quot; ");
}

}  // namespace
}  // namespace tandem::test
