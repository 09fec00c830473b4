// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/run/balance.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>

namespace tandem {
namespace {

// Both sides of a frame, with noise; the cores may have less than all of themselves.
class Sides {
 public:
  Sides(double cores_rows_s, double device_rows_s, double noise, unsigned seed = 1)
      : cores_rows_s_(cores_rows_s),
        device_rows_s_(device_rows_s),
        random_(seed),
        noise_(-noise * noise / 2, noise) {}

  /// Somebody else computes on a part of the cores.
  void burn(double part) { left_ = 1 - part; }
  /// One frame in so many takes ten times as long on the cores.
  void interrupt(int every) { every_ = every; }

  double balanced() const { return device_s(0) / (cores_s(1) + device_s(0)); }

  Balance::Act pass(Balance& balance) {
    const double share = balance.cpu_share() / 100.0;
    const bool late = every_ > 0 && ++frames_ % every_ == 0;
    return balance.frame_done(cores_s(share) * noise_(random_) * (late ? 10 : 1),
                              device_s(share) * noise_(random_));
  }

 private:
  double cores_s(double share) const { return share * cores_rows_s_ / left_; }
  double device_s(double share) const { return (1 - share) * device_rows_s_; }

  double cores_rows_s_, device_rows_s_, left_ = 1;
  std::mt19937 random_;
  std::lognormal_distribution<double> noise_;
  int every_ = 0, frames_ = 0;
};

// Frames until it has moved so far; -1: it does not.
int frames_to(double share, Sides& sides, Balance& balance, double points) {
  for (int frame = 1; frame <= 1000; ++frame) {
    sides.pass(balance);
    if (std::abs(balance.cpu_share() - 100 * share) <= points) return frame;
  }
  return -1;
}

TEST(BalanceTest, ABurnerMovesTheShareWithinTwentyFramesAndBack) {
  Sides sides(9e-3, 6e-3, 0.03);
  Balance balance(40);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(sides.pass(balance), Balance::Act::none);
  sides.burn(0.5);
  int moved = 0;
  for (int i = 1; i <= 20; ++i)
    if (sides.pass(balance) == Balance::Act::move && moved == 0) moved = i;
  EXPECT_GT(moved, 5) << "single frames do not count";
  EXPECT_LE(moved, 20);
  EXPECT_NEAR(balance.cpu_share(), 100 * sides.balanced(), 3);
  for (int i = 0; i < 200; ++i) sides.pass(balance);
  EXPECT_NEAR(balance.cpu_share(), 25, 3);
  sides.burn(0);
  EXPECT_LE(frames_to(0.4, sides, balance, 3), 20);
}

TEST(BalanceTest, TheFirstMoveGoesHalfOfTheWay) {
  Sides sides(9e-3, 6e-3, 0);
  Balance balance(20);
  int frames = 1;
  while (sides.pass(balance) == Balance::Act::none) ++frames;
  EXPECT_EQ(frames, 9);
  EXPECT_EQ(balance.cpu_share(), 30);
  while (sides.pass(balance) == Balance::Act::none) {
  }
  EXPECT_EQ(balance.cpu_share(), 40);
}

TEST(BalanceTest, FixedTimesAreNoRates) {
  // 2 ms + 8 ms x, and 1 ms + 6 ms (1 - x): balanced at 5 / 14.
  const auto pass = [](Balance& balance) {
    const double share = balance.cpu_share() / 100.0;
    return balance.frame_done(2e-3 + 8e-3 * share, 1e-3 + 6e-3 * (1 - share));
  };
  Balance balance(80, 2e-3, 1e-3);
  for (int i = 0; i < 30; ++i) pass(balance);
  EXPECT_NEAR(balance.cpu_share(), 100 * 5.0 / 14, 1);
}

TEST(BalanceTest, ASteadyStreamDoesNotFlap) {
  int moves = 0;
  for (const double noise : {0.02, 0.05, 0.1, 0.15}) {
    for (const double device_rows_s : {1e-4, 3e-3, 9e-3, 6e-2}) {
      Sides sides(9e-3, device_rows_s, noise);
      sides.interrupt(37);
      Balance balance(std::clamp(static_cast<int>(std::lround(100 * sides.balanced())), 1, 99));
      int here = 0;
      for (int frame = 0; frame < 10'000; ++frame)
        here += sides.pass(balance) != Balance::Act::none;
      if (here) std::printf("%g %g %d %d\n", noise, device_rows_s, here, balance.cpu_share());
      moves += here;
    }
  }
  EXPECT_EQ(moves, 0);
}

// Something slows the cores down by a fifth or the device by a quarter for 50 to 1000 frames, again
// and again: what a source and the memory it writes to do.
TEST(BalanceTest, TimesThatComeAndGoMoveTheShareAFewTimes) {
  for (unsigned seed = 1; seed <= 8; ++seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<int> lasts(50, 1000), kinds(0, 2);
    Balance balance(21, 1e-4, 1e-4, 0.9);
    constexpr int kFrames = 50'000;
    int moves = 0, left = 0, kind = 0;
    double share_sum = 0;
    for (int frame = 0; frame < kFrames; ++frame) {
      if (left-- == 0) {
        left = lasts(random);
        kind = kinds(random);
      }
      const double share = balance.cpu_share() / 100.0;
      const double cores_s = (1e-4 + share * 2e-3) * (kind == 1 ? 1.2 : 1);
      const double device_s = (1e-4 + (1 - share) * 0.6e-3) * (kind == 2 ? 1.25 : 1);
      moves += balance.frame_done(cores_s, device_s) != Balance::Act::none;
      share_sum += share;
    }
    EXPECT_LE(moves, 35) << seed;
    EXPECT_NEAR(share_sum / kFrames, 0.21, 0.07) << seed;
  }
}

// Training measures frames one by one; in the stream the source computes beside them.
TEST(BalanceTest, WhatIsUsualIsAsTheStreamShowsIt) {
  Sides sides(9e-3, 6e-3, 0.03);
  for (const double unlike : {0.75, 1.3}) {
    Balance balance(30, 0, 0, unlike * 2.7 / 4.2);
    for (int frame = 0; frame < 1000; ++frame)
      EXPECT_EQ(sides.pass(balance), Balance::Act::none) << unlike;
    sides.burn(0.5);
    for (int i = 0; i < 20; ++i) sides.pass(balance);
    EXPECT_LT(balance.cpu_share(), 25);
    sides.burn(0);
    EXPECT_LE(frames_to(0.3, sides, balance, 3), 20);
  }
}

TEST(BalanceTest, ABurnerThatComesAgainIsFollowed) {
  Sides sides(9e-3, 6e-3, 0.03);
  Balance balance(40);
  for (int again = 0; again < 4; ++again) {
    for (int i = 0; i < 2000; ++i) sides.pass(balance);
    EXPECT_NEAR(balance.cpu_share(), 40, 4) << again;
    sides.burn(0.5);
    for (int i = 0; i < 2000; ++i) sides.pass(balance);
    EXPECT_NEAR(balance.cpu_share(), 25, 4) << again;
    sides.burn(0);
  }
}

TEST(BalanceTest, SharesOfAPointDoNotFlap) {
  // Balanced at 1.4%: neither 1% nor 2% is.
  Sides sides(100e-3, 1.42e-3, 0.02);
  for (const int share : {1, 2}) {
    Balance balance(share);
    for (int frame = 0; frame < 1000; ++frame)
      EXPECT_EQ(sides.pass(balance), Balance::Act::none) << share;
  }
}

// The cores take 3 ms + 10 ms x, the device 12 ms (1 - x), and a frame takes the least time at 20%.
TEST(BalanceTest, WhatWasUsualWhenTheShareWasChosenIsBalanced) {
  double burnt = 1;
  const auto pass = [&](Balance& balance) {
    const double share = balance.cpu_share() / 100.0;
    return balance.frame_done(burnt * (3e-3 + 10e-3 * share), 12e-3 * (1 - share));
  };
  Balance paper(20);
  int frames = 1;
  while (pass(paper) == Balance::Act::none) ++frames;
  EXPECT_EQ(frames, 9) << "the sides are not balanced";
  Balance balance(20, 3e-3, 0, 5.0 / 9.6);
  for (int i = 0; i < 10'000; ++i) EXPECT_EQ(pass(balance), Balance::Act::none);
  burnt = 1.5;
  for (int i = 0; i < 20; ++i) pass(balance);
  EXPECT_LT(balance.cpu_share(), 12);
  burnt = 1;
  for (int i = 0; i < 20; ++i) pass(balance);
  EXPECT_NEAR(balance.cpu_share(), 20, 3);
}

TEST(BalanceTest, ThreeMovesInVainAskForNewRates) {
  // However few rows the cores have, they take three times as long as the device.
  Balance balance(50);
  int moves = 0, frames = 0;
  Balance::Act act = Balance::Act::none;
  while (act != Balance::Act::measure && ++frames < 1000) {
    act = balance.frame_done(3e-3, 1e-3);
    moves += act == Balance::Act::move;
  }
  EXPECT_EQ(moves, 3);
  EXPECT_EQ(frames, 4 * 9);
}

TEST(BalanceTest, ASideThatShouldHaveNoRowsAsksForNewRates) {
  Balance balance(1);
  int frames = 0;
  while (balance.frame_done(50e-3, 1e-4) == Balance::Act::none && ++frames < 1000) {
  }
  EXPECT_LT(frames, 10);
  EXPECT_EQ(balance.frame_done(50e-3, 1e-4), Balance::Act::measure);
}

TEST(BalanceTest, NothingIsSplitNothingMoves) {
  Balance none;
  for (int i = 0; i < 100; ++i) EXPECT_EQ(none.frame_done(9, 1), Balance::Act::none);
}

}  // namespace
}  // namespace tandem
