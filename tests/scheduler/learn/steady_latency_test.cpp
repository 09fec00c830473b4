// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gtest/gtest.h>

#include <cmath>

#include "scheduler/learn/facts/steady.h"

namespace tandem {
namespace {

constexpr uint64_t kMs = 1'000'000;

const ReadProbe kNoProbe = [] { return Probe{}; };

// Frame i comes at 10 i ms, begins 2 ms later and is ready `latency_ms` after that.
FrameTimes frame(int i, uint64_t latency_ms) {
  FrameTimes times;
  times.came_ns = (1000 + 10 * static_cast<uint64_t>(i)) * kMs;
  times.begin_ns = times.came_ns + 2 * kMs;
  times.end_ns = times.begin_ns + kMs;
  times.ready_ns = times.begin_ns + latency_ms * kMs;
  return times;
}

TEST(Steady, LatencyIsThatOfTheFramesAfterTheFirst) {
  Steady steady;
  for (int i = 0; i < kFirstFrames; ++i) steady.frame_done(frame(i, 500), kNoProbe);
  EXPECT_TRUE(std::isnan(steady.measured({}, kNoProbe).latency_p95_s));
  for (int i = 0; i < 100; ++i)
    steady.frame_done(frame(kFirstFrames + i, i < 90 ? 5 : 40), kNoProbe);
  const Measured measured = steady.measured({}, kNoProbe);
  EXPECT_NEAR(measured.latency_p50_s, 0.005, 0.0001);
  EXPECT_NEAR(measured.latency_p95_s, 0.040, 0.001);
  EXPECT_NEAR(measured.waiting_p95_s, 0.002, 0.0001);
}

// What ran before is slower: frames of what runs now wait for its last ones.
TEST(Steady, WhatWaitedForFramesOfAnotherConfigurationDoesNotCount) {
  Steady steady;
  FrameTimes other = frame(50, 1);
  other.ready_ns = frame(60, 0).begin_ns;
  steady.other_frame_done(other);
  for (int i = 0; i < 200; ++i) steady.frame_done(frame(i, i < 60 ? 500 : 5), kNoProbe);
  EXPECT_NEAR(steady.measured({}, kNoProbe).latency_p95_s, 0.005, 0.0001);
  steady.begin_anew();
  EXPECT_TRUE(std::isnan(steady.measured({}, kNoProbe).latency_p95_s));
}

}  // namespace
}  // namespace tandem
