// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/intervals.h"

#include <gtest/gtest.h>

namespace tandem {
namespace {

using Frames = std::vector<uint32_t>;
using Rules = std::vector<Intervals::Rule>;

Frames next(Intervals& intervals, int count) {
  Frames frames;
  for (int i = 0; i < count; ++i) frames.push_back(intervals.next());
  return frames;
}

TEST(IntervalsTest, WithoutAnIntervalEachFrameIsComputed) {
  Intervals intervals(Rules{{}, {1, 1}});
  EXPECT_EQ(next(intervals, 3), (Frames{0, 0, 0}));
  EXPECT_EQ(intervals.period(), 1);
  EXPECT_EQ(Intervals().next(), 0u);
}

TEST(IntervalsTest, EachNthFrameIsComputedAndTheFirst) {
  Intervals intervals(Rules{{3}});
  EXPECT_EQ(next(intervals, 7), (Frames{0, 1, 1, 0, 1, 1, 0}));
  EXPECT_EQ(intervals.period(), 3);
}

TEST(IntervalsTest, WhoReadsWhatIsMissingPasses) {
  Intervals intervals(Rules{{2}, {1, 1}, {}, {1, 2}});  // the third reads the frame alone
  EXPECT_EQ(next(intervals, 3), (Frames{0, 0b1011, 0}));
}

// Else a stage that computes each second frame and reads what another makes of each third would
// compute each sixth.
TEST(IntervalsTest, AStageThatIsDueWaitsForItsInput) {
  Intervals intervals(Rules{{3}, {2, 1}});
  EXPECT_EQ(next(intervals, 7), (Frames{0, 3, 3, 0, 3, 3, 0}));
  EXPECT_EQ(intervals.period(), 3);
  Intervals both(Rules{{2}, {3, 1}});
  EXPECT_EQ(next(both, 5), (Frames{0, 3, 2, 3, 0}));
  EXPECT_EQ(both.period(), 4);
}

TEST(IntervalsTest, ThePeriodOfStagesThatDoNotReadEachOtherIsTheirLeastCommonMultiple) {
  EXPECT_EQ(Intervals(Rules{{4}, {6}, {1}}).period(), 12);
  EXPECT_EQ(Intervals(Rules{{997}, {991}}).period(), Intervals::kMost);
  EXPECT_EQ(Intervals(Rules{{Intervals::kMost}}).period(), Intervals::kMost);
}

TEST(IntervalsTest, StagesThatAreRepeatedComputeTogether) {
  Intervals intervals(Rules{{}, {}, {2}, {1, 4}}, {1, 2, 3});
  EXPECT_EQ(next(intervals, 3), (Frames{0, 0b1110, 0}));
  Intervals once(Rules{{}, {}, {2}, {1, 4}}, {1, 2, 1});
  EXPECT_EQ(next(once, 2), (Frames{0, 0b1100}));
}

TEST(IntervalsTest, AFrameWithoutItsInputIsLeftOut) {
  Intervals intervals(Rules{{}, {1, 1}, {}});
  EXPECT_EQ(intervals.next(1), 3u);
  EXPECT_EQ(intervals.next(), 0u);
}

TEST(IntervalsTest, AnInputThatAnyStageBeforeMayMakeIsMissingWhereOneLeavesTheFrameOut) {
  Intervals intervals(Rules{{}, {2}, {}, {}});
  EXPECT_EQ(intervals.next(0, 0b0100), 0u);
  EXPECT_EQ(intervals.next(0, 0b0100), 0b0110u);
  EXPECT_EQ(intervals.next(0, 0b0001), 0u) << "no stage is before it";
}

TEST(IntervalsTest, AFrameThatIsTakenBackIsNotCounted) {
  Intervals intervals(Rules{{3}});
  intervals.next();
  intervals.next();
  EXPECT_EQ(intervals.next(), 1u);
  intervals.take_back();
  EXPECT_EQ(next(intervals, 2), (Frames{1, 0}));
  intervals.take_back();
  EXPECT_EQ(next(intervals, 2), (Frames{0, 1}));
}

TEST(IntervalsTest, TheSameRulesGoOnAndOthersBeginAnew) {
  Intervals intervals(Rules{{3}});
  intervals.next();
  intervals.set({{3}}, {});
  EXPECT_EQ(intervals.next(), 1u);
  intervals.set({{4}}, {});
  EXPECT_EQ(next(intervals, 5), (Frames{0, 1, 1, 1, 0}));
}

TEST(IntervalsTest, AStreamBeginsWithAFrameThatIsComputed) {
  Intervals intervals(Rules{{3}});
  intervals.next();
  intervals.restart();
  EXPECT_EQ(next(intervals, 2), (Frames{0, 1}));
}

}  // namespace
}  // namespace tandem
