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

TEST(StagePath, StagesThatLeaveTheFrameOutHaveNoPosition) {
  EXPECT_EQ(visits(StagePath(4, {}, 0b0101)), (Visits{{1, 0}, {3, 0}}));
  EXPECT_EQ(visits(StagePath(2, {}, 3)), Visits{});
  EXPECT_EQ(visits(StagePath(5, {2, 3, 2}, 0b00001)),
            (Visits{{1, 0}, {2, 0}, {3, 0}, {2, 1}, {3, 1}, {4, 0}}));
  EXPECT_EQ(visits(StagePath(5, {2, 3, 2}, 0b01100)), (Visits{{0, 0}, {1, 0}, {4, 0}}));
  const StagePath path(4, {2, 2, 2}, 0b0010);
  std::vector<bool> last;
  for (int p = 0; p < path.length(); ++p) last.push_back(path.last_visit(p));
  EXPECT_EQ(last, (std::vector<bool>{true, false, true, true}));
}

TEST(StagePath, StagesAreFusedIfNoneBetweenThemIsLeftOut) {
  const uint32_t all = 0b111;
  EXPECT_EQ(StagePath(4, {}).fused_length(all, 0, 4), 4);
  EXPECT_EQ(StagePath(4, {}, 0b0010).fused_length(all, 0, 3), 1);
  EXPECT_EQ(StagePath(4, {}, 0b0010).fused_length(all, 1, 3), 2);
  EXPECT_EQ(StagePath(4, {3, 3, 2}, 0b0001).fused_length(all, 0, 4), 2)
      << "the last one is repeated";
}

TEST(StagePath, KnowsTheLastVisit) {
  const StagePath path(4, {1, 2, 2});
  std::vector<bool> last;
  for (int p = 0; p < path.length(); ++p) last.push_back(path.last_visit(p));
  EXPECT_EQ(last, (std::vector<bool>{true, false, false, true, true, true}));
}

}  // namespace
}  // namespace tandem
