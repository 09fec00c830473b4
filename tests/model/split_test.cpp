// SPDX-License-Identifier: LGPL-2.1-or-later
// Shares of a split frame against all shares in steps of a hundredth, on random parameters.
#include "model/split.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

#include "model/objective.h"
#include "tests/model/split_cost.h"

namespace tandem {
namespace {

constexpr int kSets = 200;
constexpr Metric kMetrics[] = {Metric::latency, Metric::energy, Metric::edp};

class RandomSplits : public testing::Test {
 protected:
  double log_uniform(double least, double most) {
    return least * std::pow(most / least, uniform_(random_));
  }

  // Rates up to a factor of 30 apart; fixed times from next to nothing to more than all rows.
  Split next() {
    Split split;
    split.cores = {log_uniform(1e-6, 2e-3), log_uniform(1e-3, 3e-2)};
    split.device = {log_uniform(1e-5, 1e-2), log_uniform(1e-3, 3e-2)};
    split.static_w = log_uniform(1, 100);
    split.cores_w = log_uniform(1, 150);
    split.device_w = log_uniform(1, 300);
    return split;
  }

  // One side should get all: its fixed time is less than what the other takes for a hundredth.
  Split next_one_sided() {
    Split split = next();
    SplitSide& slow = uniform_(random_) < 0.5 ? split.cores : split.device;
    slow.fixed_s = 0.05 + log_uniform(1e-3, 1);
    return split;
  }

  static double exhaustive(const Split& split, Metric metric) {
    double best = 0;
    for (int percent = 1; percent <= 100; ++percent)
      if (cost_of(split, percent / 100.0, metric) < cost_of(split, best, metric))
        best = percent / 100.0;
    return best;
  }

  std::mt19937 random_{24};
  std::uniform_real_distribution<double> uniform_{0, 1};
};

TEST_F(RandomSplits, TheShareIsTheBestOfAll) {
  int whole = 0;
  for (int set = 0; set < kSets; ++set) {
    const Split split = set % 4 == 0 ? next_one_sided() : next();
    for (const Metric metric : kMetrics) {
      const double best = exhaustive(split, metric), share = best_share(split, metric);
      EXPECT_LE(cost_of(split, share, metric), cost_of(split, best, metric) * (1 + 1e-9))
          << "set " << set << ", metric " << static_cast<int>(metric) << ": " << share << ", best "
          << best;
      EXPECT_NEAR(share, best, 1e-9) << "set " << set;
      whole += best == 0 || best == 1;
    }
  }
  EXPECT_GT(whole, kSets / 2) << "one side gets all often enough to be tested";
  EXPECT_LT(whole, 2 * kSets);
}

TEST_F(RandomSplits, SharesAreWholeBands) {
  for (int set = 0; set < kSets; ++set) {
    const Split split = next();
    const double share = best_share(split, Metric::latency, 13);
    EXPECT_NEAR(share * 13, std::round(share * 13), 1e-9);
    for (int band = 0; band <= 13; ++band)
      EXPECT_LE(seconds_of(split, share), seconds_of(split, band / 13.0) * (1 + 1e-9));
  }
}

// Half a frame on each side, then the share that this promises; each the mean of some frames.
TEST_F(RandomSplits, TwoExperimentsFindTheShare) {
  constexpr double kNoise = 0.03;
  constexpr int kFrames = 30;
  std::normal_distribution<double> noise(1, kNoise / std::sqrt(kFrames));
  double most_points = 0, most_time = 0;
  for (int set = 0; set < kSets; ++set) {
    const Split truth = next();
    const auto cores_s = [&](double part) { return truth.cores.seconds(part) * noise(random_); };
    const auto device_s = [&](double part) { return truth.device.seconds(part) * noise(random_); };
    const double half_cores_s = cores_s(0.5), half_device_s = device_s(0.5);
    Split found;
    found.cores = side_of(1, cores_s(1), 0.5, half_cores_s);
    found.device = side_of(1, device_s(1), 0.5, half_device_s);
    double share = share_to_run(found) / 100.0;
    if (share > 0 && std::abs(share - 0.5) > 0.05) {
      found.cores = side_of(0.5, half_cores_s, share, cores_s(share));
      found.device = side_of(0.5, half_device_s, 1 - share, device_s(1 - share));
      share = std::max(1, share_to_run(found)) / 100.0;
    }
    if (share == 0) share = truth.cores.seconds(1) < truth.device.seconds(1) ? 1 : 0;
    const double best = exhaustive(truth, Metric::latency);
    const double slower = seconds_of(truth, share) / seconds_of(truth, best) - 1;
    most_time = std::max(most_time, slower);
    EXPECT_LE(slower, 0.03) << "set " << set << ": " << share << ", best " << best;
    if (slower < 0.01 && (share == 0 || share == 1 || best == 0 || best == 1)) continue;  // a tie
    most_points = std::max(most_points, std::abs(share - best));
    EXPECT_NEAR(share, best, 0.05) << "set " << set;
  }
  std::printf("share within %.1f points of exhaustive, time within %.2f%%\n", 100 * most_points,
              100 * most_time);
}

TEST(Split, TheShareThatBalancesIsTheOneOfThePaper) {
  // Without fixed times: S_C / (S_C + S_G), equation 3.
  EXPECT_DOUBLE_EQ(balanced_share({{0, 4e-3}, {0, 1e-3}}), 0.2);
  const Split split{{1e-3, 4e-3}, {2e-3, 1e-3}};
  const double share = balanced_share(split);
  EXPECT_DOUBLE_EQ(share, 0.4);
  EXPECT_DOUBLE_EQ(split.cores.seconds(share), split.device.seconds(1 - share));
}

TEST(Split, ASideWithoutRowsTakesNoTime) {
  const Split split{{1e-3, 4e-3}, {2e-3, 1e-3}, 10, 20, 40};
  EXPECT_DOUBLE_EQ(seconds_of(split, 0), 3e-3);
  EXPECT_DOUBLE_EQ(seconds_of(split, 1), 5e-3);
  EXPECT_DOUBLE_EQ(joules_of(split, 0), 3e-3 * 50);
  EXPECT_DOUBLE_EQ(joules_of(split, 1), 5e-3 * 30);
}

TEST(Split, WhatIsUnknownStaysUnknown) {
  Split split{{1e-3, 4e-3}, {2e-3, 1e-3}};
  EXPECT_FALSE(known(joules_of(split, 0.5)));
  EXPECT_FALSE(known(best_share(split, Metric::energy)));
  EXPECT_TRUE(known(best_share(split, Metric::latency)));
  split.device = {};
  EXPECT_FALSE(known(seconds_of(split, 0.5)));
  EXPECT_FALSE(known(best_share(split, Metric::latency)));
}

TEST(Split, ALineIsNotTurnedBelowNothing) {
  const SplitSide line = side_of(1, 5e-3, 0.5, 3e-3);
  EXPECT_DOUBLE_EQ(line.fixed_s, 1e-3);
  EXPECT_DOUBLE_EQ(line.rows_s, 4e-3);
  const SplitSide steep = side_of(1, 5e-3, 0.5, 2e-3);
  EXPECT_DOUBLE_EQ(steep.fixed_s, 0);
  EXPECT_DOUBLE_EQ(steep.seconds(0.5), 2e-3);
  const SplitSide falling = side_of(1, 2e-3, 0.5, 3e-3);
  EXPECT_DOUBLE_EQ(falling.rows_s, 0);
  EXPECT_DOUBLE_EQ(falling.seconds(0.5), 3e-3);
}

TEST(Split, WattsComeFromThreeMeasurements) {
  const double static_w = 30, cores_w = 60, device_w = 200;
  const double both_w = static_w + 0.9 * cores_w + device_w;
  const SplitWatts watts = watts_of_split(static_w + cores_w, static_w + device_w, both_w, 0.9, 1);
  EXPECT_NEAR(watts.static_w, static_w, 1e-9);
  EXPECT_NEAR(watts.cores_w, cores_w, 1e-9);
  EXPECT_NEAR(watts.device_w, device_w, 1e-9);
  EXPECT_FALSE(known(watts_of_split(90, 230, 200, 0.2, 1).static_w)) << "one works at a time";
  EXPECT_FALSE(known(watts_of_split(90, kUnknown, 200, 1, 1).static_w));
}

// Stafford, section 2.2: its text gives all to the device where differentiating equation 2 gives
// all to the cores, and the other way about. Equations 8 and 9 are right about what either costs.
TEST(Split, ThePaperHasTheThresholdsOfThePureCasesSwapped) {
  // S_G / S_C = 0.1, far below P_G / (P_S + P_C) = 10 / 3: the text says that the CPU is pointless.
  Split slow_device{{0, 1e-3}, {0, 10e-3}, 1, 2, 10};
  EXPECT_EQ(best_share(slow_device, Metric::energy), 1);
  EXPECT_NEAR(joules_of(slow_device, 0), 110e-3, 1e-12);  // equation 8, W = 1
  EXPECT_NEAR(joules_of(slow_device, 1), 3e-3, 1e-12);    // equation 9
  // S_G / S_C = 10, above (P_S + P_G) / P_C = 1.5: it says that the cores must compute all.
  Split fast_device{{0, 10e-3}, {0, 1e-3}, 1, 2, 2};
  EXPECT_EQ(best_share(fast_device, Metric::energy), 0);
  EXPECT_NEAR(joules_of(fast_device, 0), 3e-3, 1e-12);
  EXPECT_NEAR(joules_of(fast_device, 1), 30e-3, 1e-12);
}

// Its alpha_left and alpha_right are where the derivative of the energy-delay product is 0, but
// within their ranges these are maxima.
TEST_F(RandomSplits, WhereTheDerivativeOfTheEnergyDelayProductIsZeroItIsMost) {
  int inside = 0;
  for (int set = 0; set < 10 * kSets; ++set) {
    Split split = next();
    split.cores.fixed_s = split.device.fixed_s = 0;
    const double s_c = 1 / split.cores.rows_s, s_g = 1 / split.device.rows_s;
    const double with_device_w = split.static_w + split.device_w;
    const double with_cores_w = split.static_w + split.cores_w;
    const double left = (2 * s_c * with_device_w - s_g * split.cores_w) /
                        (2 * s_c * with_device_w - 2 * s_g * split.cores_w);
    const double right = s_c * split.device_w / (2 * (s_c * split.device_w - s_g * with_cores_w));
    const double balanced = balanced_share(split);
    const auto is_most = [&](double at) {
      const double here = cost_of(split, at, Metric::edp), step = 1e-3;
      ++inside;
      return here >= cost_of(split, at - step, Metric::edp) &&
             here >= cost_of(split, at + step, Metric::edp);
    };
    if (left > 2e-3 && left < balanced - 2e-3) {
      EXPECT_TRUE(is_most(left)) << set;
    }
    if (right > balanced + 2e-3 && right < 1 - 2e-3) {
      EXPECT_TRUE(is_most(right)) << set;
    }
  }
  std::printf("%d extrema of %d products lie inside, all of them maxima\n", inside, 10 * kSets);
  EXPECT_GT(inside, 0);
}

}  // namespace
}  // namespace tandem
