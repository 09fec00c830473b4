// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/monotonic_counter.h"

#include <gtest/gtest.h>

#include <limits>

namespace tandem {
namespace {

using Event = MonotonicCounter::Event;

constexpr double kRangeJ = 1000;

MeterClock::time_point at(double seconds) {
  return MeterClock::time_point(
      std::chrono::duration_cast<MeterClock::duration>(std::chrono::duration<double>(seconds)));
}

MonotonicCounter package() { return MonotonicCounter({kRangeJ, 0.001, 100, 1}); }

TEST(MonotonicCounter, CountsFromTheFirstReading) {
  MonotonicCounter counter = package();
  EXPECT_FALSE(counter.since_open_j());
  EXPECT_EQ(counter.add(500, at(0)), Event::none);
  EXPECT_EQ(counter.since_open_j(), 0.0);
  EXPECT_EQ(counter.add(520, at(1)), Event::none);
  EXPECT_EQ(counter.since_open_j(), 20.0);
  EXPECT_EQ(counter.breaks(), 0u);
}

TEST(MonotonicCounter, WrapsAround) {
  MonotonicCounter counter = package();
  counter.add(990, at(0));
  EXPECT_EQ(counter.add(15, at(1)), Event::none);
  EXPECT_EQ(counter.since_open_j(), 25.0);
  EXPECT_EQ(counter.breaks(), 0u);
}

TEST(MonotonicCounter, AFallThatNoWrapExplainsLosesTheInterval) {
  MonotonicCounter counter = package();
  counter.add(500, at(0));
  counter.add(520, at(1));
  EXPECT_EQ(counter.add(300, at(2)), Event::jumped_back);  // as a wrap: 780 J in a second
  EXPECT_EQ(counter.breaks(), 1u);
  EXPECT_EQ(counter.add(310, at(3)), Event::none);
  EXPECT_EQ(counter.since_open_j(), 30.0);
}

TEST(MonotonicCounter, WithoutARangeEveryFallIsAJump) {
  MonotonicCounter counter({0, 0.1, 100, 0});
  counter.add(5, at(0));
  EXPECT_EQ(counter.add(4.9, at(1)), Event::jumped_back);
}

TEST(MonotonicCounter, AnAbsurdRiseLosesTheInterval) {
  MonotonicCounter counter = package();
  counter.add(0, at(0));
  EXPECT_EQ(counter.add(101, at(1)), Event::jumped_far);
  EXPECT_EQ(counter.since_open_j(), 0.0);
  EXPECT_EQ(counter.breaks(), 1u);
}

// A counter that steps every 100 ms may step right after it was read.
TEST(MonotonicCounter, AStepWorthOneResolutionIsNoJump) {
  MonotonicCounter counter({0, 0.1, 100, 0});
  counter.add(0, at(0));
  EXPECT_EQ(counter.add(9, at(0.0001)), Event::none);
  EXPECT_EQ(counter.add(20, at(0.0002)), Event::jumped_far);
}

TEST(MonotonicCounter, StoppedIsToldOnceAndUnknownUntilItMoves) {
  MonotonicCounter counter = package();
  counter.add(1, at(0));
  EXPECT_EQ(counter.add(1, at(0.9)), Event::none);
  EXPECT_EQ(counter.since_open_j(), 0.0);
  EXPECT_EQ(counter.add(1, at(1.1)), Event::stopped);
  EXPECT_FALSE(counter.since_open_j());
  EXPECT_EQ(counter.add(1, at(9)), Event::none);
  EXPECT_FALSE(counter.since_open_j());
  EXPECT_EQ(counter.add(2, at(10)), Event::none);
  EXPECT_EQ(counter.since_open_j(), 0.0);
  EXPECT_EQ(counter.breaks(), 1u);
}

TEST(MonotonicCounter, WhatMayRestDoesNotStop) {
  MonotonicCounter counter({0, 0.001, 100, 0});
  counter.add(7, at(0));
  EXPECT_EQ(counter.add(7, at(1000)), Event::none);
  EXPECT_EQ(counter.since_open_j(), 0.0);
  EXPECT_EQ(counter.read_at(), at(1000));
  EXPECT_EQ(counter.changed_at(), at(0));
}

TEST(MonotonicCounter, LostIsUnknownAndThenABreak) {
  MonotonicCounter counter = package();
  counter.add(0, at(0));
  counter.add(10, at(1));
  counter.lose();
  EXPECT_FALSE(counter.since_open_j());
  counter.add(50, at(2));
  EXPECT_EQ(counter.since_open_j(), 10.0);
  EXPECT_EQ(counter.breaks(), 1u);
}

TEST(MonotonicCounter, UnreadForLongerThanAWrapTakesIsABreakWithoutBlame) {
  MonotonicCounter counter = package();  // 1000 J at 100 W: 10 s
  counter.add(0, at(0));
  EXPECT_EQ(counter.add(500, at(11)), Event::none);
  EXPECT_EQ(counter.since_open_j(), 0.0);
  EXPECT_EQ(counter.breaks(), 1u);
}

TEST(MonotonicCounter, NoNumberIsAJump) {
  MonotonicCounter counter = package();
  counter.add(0, at(0));
  EXPECT_EQ(counter.add(std::numeric_limits<double>::quiet_NaN(), at(1)), Event::jumped_back);
}

TEST(MonotonicCounter, EventsAreDescribed) {
  for (const Event event : {Event::jumped_back, Event::jumped_far, Event::stopped}) {
    const std::string text = describe(event, "package-0");
    EXPECT_TRUE(text.starts_with("package-0 ")) << text;
    EXPECT_NE(text.find("unknown"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace tandem
