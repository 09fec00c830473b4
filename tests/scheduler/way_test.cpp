// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/way.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tandem {
namespace {

/// (stage, round) of each position.
std::vector<std::pair<int, int>> visits(const Way& way) {
  std::vector<std::pair<int, int>> all;
  for (int p = 0; p < way.length(); ++p) all.emplace_back(way.stage(p), way.round(p));
  return all;
}

using Visits = std::vector<std::pair<int, int>>;

TEST(Way, WithoutRepetitionIsTheStages) {
  EXPECT_EQ(visits(Way(3, {})), (Visits{{0, 0}, {1, 0}, {2, 0}}));
  EXPECT_EQ(visits(Way(3, {1, 2, 1})), (Visits{{0, 0}, {1, 0}, {2, 0}}));
}

TEST(Way, RepeatsInTheMiddle) {
  EXPECT_EQ(visits(Way(4, {1, 2, 3})),
            (Visits{{0, 0}, {1, 0}, {2, 0}, {1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 0}}));
}

TEST(Way, RepeatsAtBothEnds) {
  EXPECT_EQ(visits(Way(3, {0, 1, 2})), (Visits{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}}));
  EXPECT_EQ(visits(Way(3, {2, 2, 3})), (Visits{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}}));
  EXPECT_EQ(visits(Way(1, {0, 0, 2})), (Visits{{0, 0}, {0, 1}}));
}

TEST(Way, KnowsTheLastVisit) {
  const Way way(4, {1, 2, 2});
  std::vector<bool> last;
  for (int p = 0; p < way.length(); ++p) last.push_back(way.last_visit(p));
  EXPECT_EQ(last, (std::vector<bool>{true, false, false, true, true, true}));
}

}  // namespace
}  // namespace tandem
