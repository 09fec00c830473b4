// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include "gst/bin/binlatency.h"

namespace tandem {
namespace {

constexpr uint64_t kMs = 1'000'000, kFrameNs = 40 * kMs;

TEST(BinLatency, IsThatOfTheFramesAtATimeWhileNothingIsKnown) {
  BinLatency latency;
  EXPECT_TRUE(latency.decided(3, kUnknown));
  EXPECT_EQ(latency.answer_ns(kFrameNs), 120 * kMs);
  EXPECT_FALSE(latency.decided(3, kUnknown));
}

TEST(BinLatency, LeavesRoomForTheSlowestFrames) {
  BinLatency latency;
  EXPECT_TRUE(latency.decided(13, 0.060));
  EXPECT_EQ(latency.answer_ns(kFrameNs), 120 * kMs) << "twice, and not 13 frames";
  EXPECT_TRUE(latency.decided(13, 0.001));
  EXPECT_EQ(latency.answer_ns(kFrameNs), 6 * kMs) << "threads have to wake up";
  EXPECT_FALSE(latency.decided(13, 0.0011)) << "nearly the same";
  EXPECT_TRUE(latency.decided(1, 0.001));
}

TEST(BinLatency, IsNoMoreThanStagesThatKeepUpCanTake) {
  BinLatency latency;
  latency.decided(1, 0.035);
  EXPECT_EQ(latency.answer_ns(kFrameNs), kFrameNs);
}

TEST(BinLatency, GrowsWhenFramesTakeLonger) {
  BinLatency latency;
  EXPECT_FALSE(latency.measured(1)) << "nothing was told";
  latency.decided(13, 0.060);
  EXPECT_FALSE(latency.measured(0.119));
  EXPECT_TRUE(latency.measured(0.121));
  EXPECT_EQ(latency.answer_ns(kFrameNs), 242 * kMs);
  EXPECT_FALSE(latency.measured(0.121));
}

}  // namespace
}  // namespace tandem
