// SPDX-License-Identifier: LGPL-2.1-or-later
// The share that a search finds against all shares in steps of a hundredth, whole frames included,
// on random parameters with times that show only where both sides work.
#include "model/share_search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <vector>

#include "model/split.h"

namespace tandem {
namespace {

#ifdef TANDEM_SANITIZED
constexpr int kSets = 50;
#else
constexpr int kSets = 200;
#endif

/// What both sides take for a part of the rows while both are at work.
struct Sides {
  SplitSide cores, device;
  double waking_s = 0;    ///< of the cores, the more of them the more rows there are ...
  double all_awake = 1;   ///< ... up to this share
  double serial_s = 0;    ///< that the rows of one core take: fewer rows than cores take no less
  double contention = 0;  ///< how much longer both take while the other one works
  double joins_s = 0;     ///< before and after

  ShareTried at(int percent) const {
    if (percent == 0) return {0, 0, wholes().device_s, wholes().device_s};
    if (percent == 100) return {100, wholes().cores_s, 0, wholes().cores_s};
    const double share = percent / 100.0;
    double cores_s = cores.fixed_s + waking_s * std::min(1.0, share / all_awake) +
                     std::max(std::min(serial_s, cores.rows_s), share * cores.rows_s);
    double device_s = device.fixed_s + (1 - share) * device.rows_s;
    const double both_s = std::min(cores_s, device_s);
    cores_s += contention * both_s;
    device_s += contention * both_s;
    return {percent, cores_s, device_s, joins_s + std::max(cores_s, device_s)};
  }
  WholesAlone wholes() const { return {cores.rows_s + waking_s, device.rows_s}; }
  int best(int first = 0, int last = 100) const {
    int best = first;
    for (int percent = first + 1; percent <= last; ++percent)
      if (at(percent).frame_s < at(best).frame_s) best = percent;
    return best;
  }
};

class ShareSearch : public testing::Test {
 protected:
  double log_uniform(double least, double most) {
    return least * std::pow(most / least, uniform_(random_));
  }

  // Rates up to a factor of 30 apart; waking and joins up to half of what all rows of the faster
  // side take: one side gets all in half of the sets.
  Sides next() {
    Sides sides;
    sides.cores = {log_uniform(1e-6, 1e-3), log_uniform(1e-3, 3e-2)};
    sides.device = {log_uniform(1e-5, 1e-3), log_uniform(1e-3, 3e-2)};
    const double fast_s = std::min(sides.cores.rows_s, sides.device.rows_s);
    sides.waking_s = 0.3 * fast_s * uniform_(random_);
    sides.all_awake = log_uniform(0.02, 1);
    sides.serial_s = sides.cores.rows_s * log_uniform(0.005, 0.1);
    sides.contention = 0.2 * uniform_(random_);
    sides.joins_s = 0.2 * fast_s * uniform_(random_);
    return sides;
  }

  // As an experiment sees it: the mean of 30 frames.
  ShareTried seen(const Sides& sides, int percent, double noise) {
    std::normal_distribution<double> factor(1, noise / std::sqrt(30));
    ShareTried seen = sides.at(percent);
    const double beside_s = seen.frame_s - std::max(seen.cores_s, seen.device_s);
    seen.cores_s *= factor(random_);
    seen.device_s *= factor(random_);
    seen.frame_s = (std::max(seen.cores_s, seen.device_s) + beside_s) * factor(random_);
    return seen;
  }

  std::vector<ShareTried> search(const Sides& sides, double noise) {
    std::vector<ShareTried> tried{seen(sides, kHalfOfTheRows, noise)};
    while (const auto next = next_share(tried, sides.wholes())) {
      EXPECT_GE(*next, 1);
      EXPECT_LE(*next, 99);
      EXPECT_LT(tried.size(), static_cast<std::size_t>(kMostShares));
      tried.push_back(seen(sides, *next, noise));
    }
    return tried;
  }

  void expect_best(double noise, double most_slower, double tie) {
    double most_time = 0, sum_slower = 0, shares = 0;
    int most_points = 0, far = 0, split = 0;
    for (int set = 0; set < kSets; ++set) {
      const Sides sides = next();
      const std::vector<ShareTried> tried = search(sides, noise);
      // One side gets all where that takes less time than the frames that were split.
      int found = best_share_of(tried).percent;
      const int best = sides.best();
      const auto [cores_s, device_s] = sides.wholes();
      const int whole = cores_s < device_s ? 100 : 0;
      if (seen(sides, whole, noise).frame_s < best_share_of(tried).frame_s) found = whole;
      split += best > 0 && best < 100;
      const double slower = sides.at(found).frame_s / sides.at(best).frame_s - 1;
      EXPECT_LE(slower, most_slower) << "set " << set << ": " << found << ", best " << best;
      most_time = std::max(most_time, slower);
      sum_slower += slower;
      shares += static_cast<double>(tried.size());
      const int points = std::abs(found - best);
      most_points = std::max(most_points, points);
      far += points > 5;
      if (slower < tie) continue;  // as good
      EXPECT_LE(points, 5) << "set " << set << ": " << found << ", best " << best;
    }
    std::printf(
        "noise %.0f%%: time within %.2f%% of exhaustive, %.2f%% on average; %d of %d further than "
        "5 "
        "points, most %d; %d split; %.1f shares tried\n",
        100 * noise, 100 * most_time, 100 * sum_slower / kSets, far, kSets, most_points, split,
        shares / kSets);
  }

  std::mt19937 random_{7};
  std::uniform_real_distribution<double> uniform_{0, 1};
};

TEST_F(ShareSearch, FindsTheShareOfSidesThatNoLineDescribes) { expect_best(0, 0.02, 0.01); }
TEST_F(ShareSearch, FindsItInNoise) { expect_best(0.03, 0.03, 0.02); }

// Microseconds: an H200 beside 16 cores, ViVid at 600x416. The cores take 130 us whatever they get.
TEST_F(ShareSearch, GivesTheCoresTheLeastWhereWakingThemIsMostOfIt) {
  const Sides sides{{100e-6, 450e-6}, {150e-6, 17e-6}, 30e-6, 0.05, 20e-6, 0, 35e-6};
  const auto tried = search(sides, 0);
  EXPECT_LE(best_share_of(tried).percent, 6);
  EXPECT_LE(best_share_of(tried).frame_s, 1.02 * sides.at(sides.best(1, 99)).frame_s);
}

TEST(ShareSearchEnds, WhereSharesOnBothSidesOfTheBestAreSlower) {
  const ShareTried half{50, 4e-3, 4.03e-3, 4.05e-3}, fewer{25, 2.5e-3, 5.6e-3, 5.7e-3},
      more{75, 5.5e-3, 2.5e-3, 5.6e-3};
  EXPECT_EQ(next_share({{half}}, {7e-3, 7e-3}), std::nullopt) << "both sides take as long";
  EXPECT_EQ(next_share({{half, fewer, more}}, {7e-3, 7e-3}), std::nullopt);
}

// Microseconds of an H200 beside 16 cores, SRAD at 458x502: with more rows on the cores they take
// little more time, and both sides wait less for each other.
TEST(ShareSearchEnds, NotWhereWhatIsBesideTheSidesMayShrink) {
  const std::vector<ShareTried> tried{{50, 258e-6, 225e-6, 374e-6},
                                      {45, 250e-6, 240e-6, 372e-6},
                                      {42, 246e-6, 250e-6, 373e-6},
                                      {21, 210e-6, 290e-6, 430e-6}};
  const auto next = next_share(tried, {256e-6, 339e-6});
  ASSERT_TRUE(next);
  EXPECT_GT(*next, 60);
}

TEST(ShareSearchEnds, WhereNothingIsKnownOfWholeFrames) {
  const ShareTried half{50, 8e-3, 1e-3, 8e-3};
  const auto next = next_share({{half}}, {});
  ASSERT_TRUE(next);
  EXPECT_LT(*next, 50);
}

TEST(SplitNearBest, TakesWhatWasMeasuredThere) {
  const std::vector<ShareTried> tried{
      {50, 5e-3, 2e-3, 5.5e-3}, {20, 3e-3, 2.8e-3, 3.4e-3}, {24, 3.2e-3, 2.7e-3, 3.5e-3}};
  const Split split = split_near_best(tried, {8e-3, 3e-3});
  EXPECT_EQ(split.cpu_share, 20);
  EXPECT_NEAR(seconds_of(split, 0.2), 3.4e-3, 1e-9);
  EXPECT_NEAR(split.cores.seconds(0.5), 5e-3, 1e-9) << "24 is too near to tell a rate";
  EXPECT_NEAR(split.joins_s, 0.4e-3, 1e-9);
}

}  // namespace
}  // namespace tandem
