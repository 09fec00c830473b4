// SPDX-License-Identifier: LGPL-2.1-or-later
// Watts of cores and device by least squares over the steps of a counter.
#include "model/power_fit.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tandem {
namespace {

constexpr double kStatic = 90, kCore = 6, kDevice = 250;

/// Joules of a chip of 16 cores beside a device, each busy for a random part of every step.
class Steps {
 public:
  explicit Steps(double noise, unsigned seed = 1) : random_(seed), noise_(0, noise) {}

  void add(double seconds, double cores_busy, double device_busy) {
    const double joules = seconds * (kStatic + kCore * cores_busy + kDevice * device_busy);
    made.push_back(
        {seconds, joules * (1 + noise_(random_)), {seconds * cores_busy, {seconds * device_busy}}});
  }
  double part() { return uniform_(random_); }

  std::vector<PowerStep> made;

 private:
  std::mt19937 random_;
  std::normal_distribution<double> noise_;
  std::uniform_real_distribution<double> uniform_{0, 1};
};

TEST(PowerFit, WithoutNoiseItIsExact) {
  Steps steps(0);
  for (int i = 0; i < 5; ++i) steps.add(0.1, 16 * steps.part(), steps.part());
  const PowerFit fit = fit_power(steps.made);
  EXPECT_NEAR(fit.static_w, kStatic, 0.01 * kStatic);
  EXPECT_NEAR(fit.core_w, kCore, 0.01 * kCore);
  EXPECT_NEAR(fit.device_w[0], kDevice, 0.01 * kDevice);
  EXPECT_LT(fit.error_w({8, {0.5}}), 1);
}

TEST(PowerFit, OfNoisyStepsItIsAsGoodAsItSays) {
  int within = 0;
  constexpr int kFits = 200;
  for (unsigned seed = 0; seed < kFits; ++seed) {
    Steps steps(0.05, seed);
    for (int i = 0; i < 15; ++i) steps.add(0.1, 16 * steps.part(), steps.part());
    const PowerFit fit = fit_power(steps.made);
    const double off_w = std::abs(fit.watts({16, {1}}) - (kStatic + 16 * kCore + kDevice));
    EXPECT_LT(off_w, 0.15 * (kStatic + 16 * kCore + kDevice)) << "seed " << seed;
    within += off_w < 2 * fit.error_w({16, {1}}) ? 1 : 0;
  }
  EXPECT_GT(within, 0.85 * kFits);
}

TEST(PowerFit, WhatIsLeftOfAStepBelongsToWhatRanInIt) {
  // Always busy, and 80 W more of the second kind than of the first.
  constexpr double kFirst = 300, kSecond = 380;
  std::vector<PowerStep> steps;
  for (const double part : {0.0, 0.0, 0.3, 1.0, 1.0, 0.6})
    steps.push_back(
        {0.1, 0.1 * (kFirst + part * (kSecond - kFirst)), {0, {0.1}}, {1 - part, part}});
  const PowerFit fit = fit_power(steps);
  const Busy busy{0, {1}};
  EXPECT_NEAR(fit.watts(busy, 0), kFirst, 0.03 * kFirst);
  EXPECT_NEAR(fit.watts(busy, 1), kSecond, 0.03 * kSecond);
  EXPECT_EQ(fit.watts(busy, 2), fit.watts(busy)) << "of which nothing is known";
  EXPECT_DOUBLE_EQ(fit.own[1].steps, 2.9);
}

TEST(PowerFit, NothingDrawsLessThanNothing) {
  Steps steps(0.3, 3);
  for (int i = 0; i < 8; ++i) steps.add(0.1, 0.1 * steps.part(), 1);
  const PowerFit fit = fit_power(steps.made);
  EXPECT_GE(fit.static_w, 0);
  EXPECT_GE(fit.core_w, 0);
  EXPECT_GE(fit.device_w[0], 0);
}

TEST(PowerFit, WhatNeverDifferedIsRightAsASum) {
  Steps steps(0);
  for (int i = 0; i < 6; ++i) steps.add(0.1, 4, 1);
  EXPECT_NEAR(fit_power(steps.made).watts({4, {1}}), kStatic + 4 * kCore + kDevice, 0.5);
}

// Least squares may find that it draws nothing then.
TEST(PowerFit, OfADeviceThatWasNeverIdleAnIdleOneIsUncertain) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    Steps steps(0.05, seed);
    for (int i = 0; i < 6; ++i) steps.add(0.1, 1, 0.95 + 0.05 * steps.part());
    const PowerFit fit = fit_power(steps.made);
    EXPECT_LT(fit.error_w({1, {1}}), 0.2 * fit.watts({1, {1}})) << "seed " << seed;
    EXPECT_GT(fit.error_w({16, {0}}), fit.watts({1, {1}})) << "seed " << seed;
  }
}

TEST(PowerFit, WithoutADeviceThereIsNone) {
  Steps steps(0);
  for (int i = 0; i < 6; ++i) steps.add(0.1, 16 * steps.part(), 0);
  const PowerFit fit = fit_power(steps.made);
  EXPECT_NEAR(fit.core_w, kCore, 0.1);
  EXPECT_EQ(fit.device_w[0], 0);
}

TEST(PowerFit, EachKindOfDeviceHasWattsOfItsOwn) {
  Steps steps(0);
  constexpr double kSecond = 70;
  for (int i = 0; i < 6; ++i) {
    const double second = steps.part();
    steps.add(0.1, 16 * steps.part(), steps.part());
    steps.made.back().busy.devices_s[1] = 0.1 * second;
    steps.made.back().joules += 0.1 * second * kSecond;
  }
  const PowerFit fit = fit_power(steps.made);
  EXPECT_NEAR(fit.device_w[0], kDevice, 0.02 * kDevice);
  EXPECT_NEAR(fit.device_w[1], kSecond, 0.02 * kDevice);
  EXPECT_EQ(fit.device_w[2], 0) << "of which there is none";
  steps.made.resize(4);
  EXPECT_FALSE(known(fit_power(steps.made).static_w)) << "four coefficients of four steps";
}

TEST(PowerFit, FewStepsTellNothing) {
  Steps steps(0);
  for (int i = 1; i < kLeastPowerSteps; ++i) steps.add(0.1, 16 * steps.part(), steps.part());
  EXPECT_FALSE(known(fit_power(steps.made).watts({8, {0.5}})));
  EXPECT_FALSE(known(fit_power({}).error_w({8, {0.5}})));
}

}  // namespace
}  // namespace tandem
