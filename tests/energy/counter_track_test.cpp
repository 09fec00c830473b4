// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/counter_track.h"

#include <gtest/gtest.h>

#include <limits>

namespace tandem {
namespace {

using Event = CounterTrack::Event;

constexpr double kRangeJ = 1000;

MeterClock::time_point at(double seconds) {
  return MeterClock::time_point(
      std::chrono::duration_cast<MeterClock::duration>(std::chrono::duration<double>(seconds)));
}

CounterTrack package() { return CounterTrack({kRangeJ, 0.001, 100, 1}); }

TEST(CounterTrack, CountsFromTheFirstReading) {
  CounterTrack track = package();
  EXPECT_FALSE(track.since_open_j());
  EXPECT_EQ(track.add(500, at(0)), Event::none);
  EXPECT_EQ(track.since_open_j(), 0.0);
  EXPECT_EQ(track.add(520, at(1)), Event::none);
  EXPECT_EQ(track.since_open_j(), 20.0);
  EXPECT_EQ(track.breaks(), 0u);
}

TEST(CounterTrack, WrapsAround) {
  CounterTrack track = package();
  track.add(990, at(0));
  EXPECT_EQ(track.add(15, at(1)), Event::none);
  EXPECT_EQ(track.since_open_j(), 25.0);
  EXPECT_EQ(track.breaks(), 0u);
}

TEST(CounterTrack, AFallThatNoWrapExplainsLosesTheInterval) {
  CounterTrack track = package();
  track.add(500, at(0));
  track.add(520, at(1));
  EXPECT_EQ(track.add(300, at(2)), Event::jumped_back);  // as a wrap: 780 J in a second
  EXPECT_EQ(track.breaks(), 1u);
  EXPECT_EQ(track.add(310, at(3)), Event::none);
  EXPECT_EQ(track.since_open_j(), 30.0);
}

TEST(CounterTrack, WithoutARangeEveryFallIsAJump) {
  CounterTrack track({0, 0.1, 100, 0});
  track.add(5, at(0));
  EXPECT_EQ(track.add(4.9, at(1)), Event::jumped_back);
}

TEST(CounterTrack, AnAbsurdRiseLosesTheInterval) {
  CounterTrack track = package();
  track.add(0, at(0));
  EXPECT_EQ(track.add(101, at(1)), Event::jumped_far);
  EXPECT_EQ(track.since_open_j(), 0.0);
  EXPECT_EQ(track.breaks(), 1u);
}

// A counter that steps every 100 ms may step right after it was read.
TEST(CounterTrack, AStepWorthOneResolutionIsNoJump) {
  CounterTrack track({0, 0.1, 100, 0});
  track.add(0, at(0));
  EXPECT_EQ(track.add(9, at(0.0001)), Event::none);
  EXPECT_EQ(track.add(20, at(0.0002)), Event::jumped_far);
}

TEST(CounterTrack, StoppedIsToldOnceAndUnknownUntilItMoves) {
  CounterTrack track = package();
  track.add(1, at(0));
  EXPECT_EQ(track.add(1, at(0.9)), Event::none);
  EXPECT_EQ(track.since_open_j(), 0.0);
  EXPECT_EQ(track.add(1, at(1.1)), Event::stopped);
  EXPECT_FALSE(track.since_open_j());
  EXPECT_EQ(track.add(1, at(9)), Event::none);
  EXPECT_FALSE(track.since_open_j());
  EXPECT_EQ(track.add(2, at(10)), Event::none);
  EXPECT_EQ(track.since_open_j(), 0.0);
  EXPECT_EQ(track.breaks(), 1u);
}

TEST(CounterTrack, WhatMayRestDoesNotStop) {
  CounterTrack track({0, 0.001, 100, 0});
  track.add(7, at(0));
  EXPECT_EQ(track.add(7, at(1000)), Event::none);
  EXPECT_EQ(track.since_open_j(), 0.0);
  EXPECT_EQ(track.read_at(), at(1000));
  EXPECT_EQ(track.changed_at(), at(0));
}

TEST(CounterTrack, LostIsUnknownAndThenABreak) {
  CounterTrack track = package();
  track.add(0, at(0));
  track.add(10, at(1));
  track.lose();
  EXPECT_FALSE(track.since_open_j());
  track.add(50, at(2));
  EXPECT_EQ(track.since_open_j(), 10.0);
  EXPECT_EQ(track.breaks(), 1u);
}

TEST(CounterTrack, UnreadForLongerThanAWrapTakesIsABreakWithoutBlame) {
  CounterTrack track = package();  // 1000 J at 100 W: 10 s
  track.add(0, at(0));
  EXPECT_EQ(track.add(500, at(11)), Event::none);
  EXPECT_EQ(track.since_open_j(), 0.0);
  EXPECT_EQ(track.breaks(), 1u);
}

TEST(CounterTrack, NoNumberIsAJump) {
  CounterTrack track = package();
  track.add(0, at(0));
  EXPECT_EQ(track.add(std::numeric_limits<double>::quiet_NaN(), at(1)), Event::jumped_back);
}

TEST(CounterTrack, EventsAreDescribed) {
  for (const Event event : {Event::jumped_back, Event::jumped_far, Event::stopped}) {
    const std::string text = describe(event, "package-0");
    EXPECT_TRUE(text.starts_with("package-0 ")) << text;
    EXPECT_NE(text.find("unknown"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tandem
