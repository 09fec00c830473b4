// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/track/assignment.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace tandem {
namespace {

using Gains = std::vector<std::vector<double>>;  // 0: no candidate

std::vector<PossiblePair> candidates_of(const Gains& gains) {
  std::vector<PossiblePair> candidates;
  for (std::size_t r = 0; r < gains.size(); ++r)
    for (std::size_t c = 0; c < gains[r].size(); ++c)
      if (gains[r][c] > 0)
        candidates.push_back({static_cast<int>(r), static_cast<int>(c), gains[r][c]});
  return candidates;
}

// Tries all pairings.
double best_sum(const Gains& gains, std::size_t row, unsigned taken) {
  if (row == gains.size()) return 0;
  double best = best_sum(gains, row + 1, taken);
  for (std::size_t c = 0; c < gains[row].size(); ++c)
    if (!(taken >> c & 1) && gains[row][c] > 0)
      best = std::max(best, gains[row][c] + best_sum(gains, row + 1, taken | 1u << c));
  return best;
}

TEST(Assignment, TakesTheSecondBestWhereBothTogetherGainMore) {
  EXPECT_EQ(assign(2, 2, candidates_of({{0.9, 0.8}, {0.8, 0}})), (std::vector{1, 0}));
}

TEST(Assignment, RowsAndColumnsMayStayAlone) {
  EXPECT_EQ(assign(3, 2, candidates_of({{0, 0.4}, {0, 0.5}, {0, 0}})), (std::vector{-1, 1, -1}));
  EXPECT_EQ(assign(0, 0, {}), std::vector<int>{});
}

TEST(Assignment, IgnoresGainsThatAreNotPositive) {
  const std::vector<PossiblePair> candidates{{0, 0, 0}, {1, 1, -1}, {2, 2, std::nan("")}};
  EXPECT_EQ(assign(3, 3, candidates), (std::vector{-1, -1, -1}));
}

TEST(Assignment, GainsAsMuchAsTheBestOfAllPairings) {
  std::mt19937 random(1);
  for (int repetition = 0; repetition < 3000; ++repetition) {
    Gains gains(1 + random() % 6, std::vector<double>(1 + random() % 6));
    for (auto& row : gains)
      for (double& gain : row) gain = random() % 3 ? (1 + random() % 1000) / 100.0 : 0;
    const std::vector<int> column_of = assign(
        static_cast<int>(gains.size()), static_cast<int>(gains[0].size()), candidates_of(gains));
    double sum = 0;
    unsigned taken = 0;
    for (std::size_t row = 0; row < gains.size(); ++row) {
      if (column_of[row] < 0) continue;
      const auto column = static_cast<std::size_t>(column_of[row]);
      EXPECT_FALSE(taken >> column & 1);
      taken |= 1u << column;
      EXPECT_GT(gains[row][column], 0);
      sum += gains[row][column];
    }
    EXPECT_NEAR(sum, best_sum(gains, 0, 0), 1e-9);
  }
}

// A group beyond the bound: every row with every column.
TEST(Assignment, PairsAHugeGroupGreedily) {
  constexpr int kSide = 600;
  std::vector<PossiblePair> candidates;
  for (int r = 0; r < kSide; ++r)
    for (int c = 0; c < kSide; ++c) candidates.push_back({r, c, r == c ? 2.0 : 1.0});
  const std::vector<int> column_of = assign(kSide, kSide, candidates);
  for (int r = 0; r < kSide; ++r) EXPECT_EQ(column_of[static_cast<std::size_t>(r)], r);
}

}  // namespace
}  // namespace tandem
