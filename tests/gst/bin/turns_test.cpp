// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/gst/support/turns.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace tandem {
namespace {

// Rates that fluctuate by a tenth around what each does, on a machine that drifts by a fifth.
ByTurns measured(const std::vector<double>& rates, int turns, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> one(0, 0.1), all(0, 0.2);
  ByTurns by_turns(rates.size());
  for (int turn = 0; turn < turns; ++turn) {
    const double machine = all(random);
    for (std::size_t i = 0; i < rates.size(); ++i)
      by_turns[i].push_back(rates[i] * std::exp(machine + one(random)));
  }
  return by_turns;
}

// Many comparisons of the first one of `rates`: means, and how far one comparison is off.
struct Seen {
  double mean = 0, deviation = 0, error = 0, by_the_fastest = 0;
};
Seen seen(const std::vector<double>& rates) {
  constexpr int kComparisons = 400, kTurns = 8;
  Seen seen;
  double squares = 0;
  for (unsigned seed = 0; seed < kComparisons; ++seed) {
    const ByTurns by_turns = measured(rates, kTurns, seed);
    const OfBest first = of_best(by_turns, 0);
    const std::vector<double> typical = typical_rates(by_turns);
    seen.mean += first.share / kComparisons;
    seen.error += first.error / kComparisons;
    squares += first.share * first.share / kComparisons;
    seen.by_the_fastest += typical[0] / std::ranges::max(typical) / kComparisons;
  }
  seen.deviation = std::sqrt(squares - seen.mean * seen.mean);
  return seen;
}

TEST(Turns, EqualsAreAsGoodAsTheBest) {
  const Seen equal = seen({100, 100, 100, 100, 100, 100, 100, 100});
  EXPECT_NEAR(equal.mean, 1, 0.01);
  EXPECT_LT(equal.by_the_fastest, 0.95);  // what the best gained by chance
  EXPECT_NEAR(equal.error, equal.deviation, 0.25 * equal.deviation);
}

TEST(Turns, TellHowFarTheBestIsAhead) {
  EXPECT_NEAR(seen({80, 100, 90, 70}).mean, 0.8, 0.02);
  EXPECT_NEAR(seen({100, 80, 70, 60}).mean, 1, 0.02);
  // Rivals that are closer than turns tell hide it. The truth lies between both ways to say it.
  const Seen near = seen({92, 100, 94, 94, 94, 94, 94, 94});
  EXPECT_GT(near.mean, 0.92);
  EXPECT_LT(near.mean, 0.96);
  EXPECT_LT(near.by_the_fastest, 0.92);
}

TEST(Turns, ASingleTurnIsComparedWithTheFastest) {
  const OfBest only = of_best({{90}, {100}, {50}}, 0);
  EXPECT_NEAR(only.share, 0.9, 1e-9);
  EXPECT_EQ(only.error, 0);
}

TEST(Turns, OneThatHangsIsTold) { EXPECT_LT(of_best({{0, 0, 0}, {100, 90, 80}}, 0).share, 1e-3); }

TEST(Turns, RatesAreTypical) {
  // The second round was of a machine at half of its speed, and one candidate was held up once.
  const std::vector<double> rates = typical_rates({{100, 50, 100}, {50, 25, 1}});
  EXPECT_NEAR(rates[0] / rates[1], 2, 0.01);
}

// Seventeen threads whose frames take 0.3 s, or nearly so: whatever part of that is looked at.
TEST(Turns, TheRateOfBurstsIsThatOfWhatLasts) {
  constexpr std::size_t kThreads = 17;
  for (const double apart_s : {0.0, 1e-4, 0.3 / kThreads}) {
    std::vector<double> left_s;
    for (int round = 0; round < 40; ++round)
      for (std::size_t i = 0; i < kThreads; ++i)
        left_s.push_back(0.3 * round + apart_s * static_cast<double>(i));
    for (std::size_t first = 0; first < kThreads; ++first)
      for (const std::size_t frames : {34, 60, 77, 100}) {
        const auto begin = left_s.begin() + static_cast<std::ptrdiff_t>(first);
        const std::vector<double> turn(begin, begin + static_cast<std::ptrdiff_t>(frames));
        EXPECT_NEAR(rate_of_bursts(turn, kThreads), kThreads / 0.3, 1e-6) << first << " " << frames;
      }
  }
  EXPECT_EQ(rate_of_bursts(std::vector<double>(33, 1.0), kThreads), 0);
}

}  // namespace
}  // namespace tandem
