// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/stage_path.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace tandem {
namespace {

/// (stage, round) of each position.
std::vector<std::pair<int, int>> visits(const StagePath& path) {
  std::vector<std::pair<int, int>> all;
  for (int p = 0; p < path.length(); ++p) all.emplace_back(path.stage(p), path.round(p));
  return all;
}

using Visits = std::vector<std::pair<int, int>>;

TEST(StagePath, WithoutRepetitionIsTheStages) {
  EXPECT_EQ(visits(StagePath(3, {})), (Visits{{0, 0}, {1, 0}, {2, 0}}));
  EXPECT_EQ(visits(StagePath(3, {1, 2, 1})), (Visits{{0, 0}, {1, 0}, {2, 0}}));
}

TEST(StagePath, RepeatsInTheMiddle) {
  EXPECT_EQ(visits(StagePath(4, {1, 2, 3})),
            (Visits{{0, 0}, {1, 0}, {2, 0}, {1, 1}, {2, 1}, {1, 2}, {2, 2}, {3, 0}}));
}

TEST(StagePath, RepeatsAtBothEnds) {
  EXPECT_EQ(visits(StagePath(3, {0, 1, 2})), (Visits{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {2, 0}}));
  EXPECT_EQ(visits(StagePath(3, {2, 2, 3})), (Visits{{0, 0}, {1, 0}, {2, 0}, {2, 1}, {2, 2}}));
  EXPECT_EQ(visits(StagePath(1, {0, 0, 2})), (Visits{{0, 0}, {0, 1}}));
}

TEST(StagePath, KnowsTheLastVisit) {
  const StagePath path(4, {1, 2, 2});
  std::vector<bool> last;
  for (int p = 0; p < path.length(); ++p) last.push_back(path.last_visit(p));
  EXPECT_EQ(last, (std::vector<bool>{true, false, false, true, true, true}));
}

}  // namespace
}  // namespace tandem
