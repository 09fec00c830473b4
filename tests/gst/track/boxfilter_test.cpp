// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/track/boxfilter.h"

#include <gtest/gtest.h>

#include <cmath>

namespace tandem {
namespace {

TEST(RateFilter, LearnsAConstantRate) {
  RateFilter filter(0, 1, 1);
  for (int step = 1; step <= 50; ++step) {
    filter.predict(1e-4, 1e-4);
    filter.see_value(3 * step, 1);
  }
  EXPECT_NEAR(filter.rate(), 3, 0.05);
  EXPECT_NEAR(filter.value(), 150, 0.5);
}

// Without noise of its own it is the regression line through all values: after n values of
// variance 1 and no knowledge before, the variance of the last point is 2 (2n - 1) / (n (n + 1)).
TEST(RateFilter, IsTheRegressionLineOfAConstantRate) {
  constexpr int kValues = 20;
  RateFilter filter(0, 1e9, 1e9);
  for (int i = 0; i < kValues; ++i) {
    if (i > 0) filter.predict(0, 0);
    filter.see_value(5 + 2 * i, 1);
  }
  EXPECT_NEAR(filter.value(), 5 + 2 * (kValues - 1), 1e-4);
  EXPECT_NEAR(filter.variance(), 2.0 * (2 * kValues - 1) / (kValues * (kValues + 1)), 1e-4);
}

TEST(RateFilter, ARateThatIsSeenMovesTheValueOn) {
  RateFilter filter(10, 1, 1);
  filter.see_rate(4, 1e-6);
  filter.predict(0, 0);
  EXPECT_NEAR(filter.value(), 14, 1e-3);
}

TEST(BoxFilter, SidesStayPositive) {
  BoxFilter filter({0, 0, 10, 10});
  for (int frame = 0; frame < 10; ++frame) {
    filter.predict();
    filter.see({5, 5, 10.0 - frame, 10.0 - frame});
  }
  for (int frame = 0; frame < 1000; ++frame) filter.predict();
  EXPECT_GE(filter.box().width, 1);
  EXPECT_GE(filter.box().height, 1);
  EXPECT_TRUE(std::isfinite(filter.box().x));
}

}  // namespace
}  // namespace tandem
