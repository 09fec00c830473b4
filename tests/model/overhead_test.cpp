// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/overhead.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

// Equation 1: 0.6 s for 12 frames, which take 0.24 s at 50 fps.
TEST(Overhead, PenaltyIsTheTimeBeyondSteadyRunning) {
  EXPECT_NEAR(training_penalty_s({0.6, 12}, 50), 0.36, 1e-12);
  EXPECT_EQ(training_penalty_s({0.6, 12}, 10), 0);  // training was the faster one
  EXPECT_EQ(training_penalty_s({}, 50), 0);
}

// Section III-B: ViVid LD on Ivy Bridge pays 5% when it trains every 3.7 s. Of these,
// dt / (t + dt) = 0.05: dt = 0.185 s and t = 3.515 s = 0.95/0.05 dt.
TEST(Overhead, IsAllowedFromThePapersTimeOn) {
  EXPECT_FALSE(training_allowed(3.51, 0.185, 0.05));
  EXPECT_TRUE(training_allowed(3.52, 0.185, 0.05));
}

TEST(Overhead, Extremes) {
  EXPECT_FALSE(training_allowed(1e9, 0.001, 0));
  EXPECT_TRUE(training_allowed(0, 10, 1));
  EXPECT_TRUE(training_allowed(0, 0, 0.05));
}

// The input changes every second and wants a training of 0.2 s each time: with all that was spent,
// the share is kept at every moment.
TEST(Overhead, BoundsARunThatChangesAllTheTime) {
  double steady_s = 0, penalty_s = 0;
  int trained = 0;
  for (int second = 0; second < 1000; ++second) {
    steady_s += 1;
    if (!training_allowed(steady_s, penalty_s + 0.2, 0.05)) continue;
    penalty_s += 0.2;
    ++trained;
    EXPECT_LE(penalty_s / (steady_s + penalty_s), 0.05 + 1e-9);
  }
  EXPECT_NEAR(trained, 263, 1);  // 1000 s * 0.05/0.95 / 0.2 s
}

}  // namespace
}  // namespace tandem
