// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <vector>

#include "gst/bin/latency.h"

namespace tandem::bin {
namespace {

constexpr uint64_t kMs = 1'000'000, kFrameNs = 40 * kMs;

TEST(BinLatency, IsThatOfTheFramesAtATimeWhileNothingIsKnown) {
  Latency latency;
  EXPECT_TRUE(latency.decided(3, kUnknown));
  EXPECT_EQ(latency.answer_ns(kFrameNs), 120 * kMs);
  EXPECT_FALSE(latency.decided(3, kUnknown));
}

TEST(BinLatency, LeavesRoomForTheSlowestFrames) {
  Latency latency;
  EXPECT_TRUE(latency.decided(13, 0.060));
  EXPECT_EQ(latency.answer_ns(kFrameNs), 120 * kMs) << "twice, and not 13 frames";
  EXPECT_TRUE(latency.decided(13, 0.001));
  EXPECT_EQ(latency.answer_ns(kFrameNs), 6 * kMs) << "threads have to wake up";
  EXPECT_FALSE(latency.decided(13, 0.0011)) << "nearly the same";
  EXPECT_TRUE(latency.decided(1, 0.001));
}

TEST(BinLatency, IsNoMoreThanStagesThatKeepUpCanTake) {
  Latency latency;
  latency.decided(1, 0.035);
  EXPECT_EQ(latency.answer_ns(kFrameNs), kFrameNs);
}

TEST(BinLatency, GrowsWhenFramesTakeLonger) {
  Latency latency;
  EXPECT_FALSE(latency.measured(1)) << "nothing was told";
  latency.decided(13, 0.060);
  EXPECT_FALSE(latency.measured(0.119));
  EXPECT_TRUE(latency.measured(0.121));
  EXPECT_EQ(latency.answer_ns(kFrameNs), 242 * kMs);
  EXPECT_FALSE(latency.measured(0.121));
}

// Frames after the one at `at_ns`, whose intervals repeat. Returns how often the interval changed.
int come(FrameInterval& interval, uint64_t& at_ns, int frames,
         const std::vector<uint64_t>& pattern_ms) {
  int changes = 0;
  for (int i = 0; i < frames; ++i) {
    at_ns += kMs * pattern_ms[i % pattern_ms.size()];
    changes += interval.came(at_ns, {});
  }
  return changes;
}

TEST(FrameInterval, IsThatOfTheCapsWhateverTheTimesSay) {
  FrameInterval interval;
  EXPECT_FALSE(interval.known());
  interval.caps(20 * kMs);
  uint64_t at_ns = 0;
  EXPECT_EQ(come(interval, at_ns, 100, {70}), 0);
  EXPECT_EQ(interval.ns(), 20 * kMs);
  EXPECT_TRUE(interval.known());
}

// Streams of a variable rate state that of their clock.
TEST(FrameInterval, IsNotThatOfAClock) {
  for (const uint64_t clock_ns : {1, 1'000'000'000 / 90'000}) {
    FrameInterval interval;
    interval.caps(clock_ns);
    EXPECT_FALSE(interval.known());
    uint64_t at_ns = 0;
    come(interval, at_ns, 64, {33});
    EXPECT_EQ(interval.ns(), 33 * kMs);
  }
  FrameInterval interval;
  interval.caps(kMs);
  EXPECT_EQ(interval.ns(), kMs) << "1000 frames a second are a rate";
}

TEST(FrameInterval, AveragesAPatternAndLeavesOutGapsAndBursts) {
  FrameInterval interval;
  uint64_t at_ns = 0;
  interval.caps({});
  come(interval, at_ns, 64, {33, 50});
  EXPECT_NEAR(static_cast<double>(interval.ns()), 41.5 * kMs, 2.0 * kMs);
  FrameInterval gaps;
  come(gaps, at_ns, 64, {33, 33, 33, 10'000, 33, 33, 33, 0});
  EXPECT_EQ(gaps.ns(), 33 * kMs);
}

TEST(FrameInterval, StaysWhereTimesJitter) {
  FrameInterval interval;
  uint64_t at_ns = 0;
  EXPECT_LE(come(interval, at_ns, 1000, {31, 36, 33, 29, 38}), 3);
  EXPECT_NEAR(static_cast<double>(interval.ns()), 33.4 * kMs, 3.4 * kMs);
}

TEST(FrameInterval, DoesNotSpanAnInterruption) {
  FrameInterval interval;
  interval.came(0, {});
  interval.interrupt();
  EXPECT_FALSE(interval.came(3'600'000 * kMs, {}));
  EXPECT_FALSE(interval.known());
  EXPECT_FALSE(interval.came(1000 * kMs, {})) << "times go back";
  EXPECT_TRUE(interval.came(1020 * kMs, {}));
  EXPECT_EQ(interval.ns(), 20 * kMs);
}

TEST(FrameInterval, HasABoundThatSumsCanTake) {
  FrameInterval interval;
  interval.came(0, {});
  interval.came(UINT64_MAX - 1, {});
  EXPECT_EQ(interval.ns(), 3'600'000 * kMs);
  interval.caps(UINT64_MAX);
  EXPECT_EQ(interval.ns(), 3'600'000 * kMs);
  interval.caps(0);
  EXPECT_GT(interval.ns(), 0u) << "rates are divided by it";
}

TEST(FrameInterval, OfFramesAllAtOneTimeIsUnknown) {
  FrameInterval interval;
  uint64_t at_ns = 0;
  come(interval, at_ns, 100, {0});
  EXPECT_FALSE(interval.known());
  EXPECT_GT(interval.ns(), 0u);
}

}  // namespace
}  // namespace tandem::bin
