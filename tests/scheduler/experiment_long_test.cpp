// SPDX-License-Identifier: LGPL-2.1-or-later
// Experiments and trials of frames that take longer than kCheap_s.
#include <gtest/gtest.h>

#include <algorithm>

#include "scheduler/learn/experiment.h"
#include "tests/scheduler/paper_chip.h"

namespace tandem {
namespace {

// Frames of 0.8 s on eight cores, whose threads begin 20 ms apart, as they get the device.
FrameTimes long_frame(const Plan& plan, int number, double longer_s = 0) {
  const int threads = plan.configuration.threads;
  FrameTimes times;
  times.configuration = plan.configuration;
  times.stages_apart = plan.kind == Observation::Kind::stages;
  times.begin_ns = 1'000'000'000 + 800'000'000ULL * static_cast<uint64_t>(number / threads) +
                   20'000'000ULL * static_cast<uint64_t>(number % threads);
  times.end_ns = times.begin_ns + 800'000'000 + static_cast<uint64_t>(1e9 * longer_s);
  times.ready_ns = times.end_ns;
  return times;
}

TEST(LongExperimentTest, TheFirstRoundOfLongFramesTellsOfStagesBesideBusyCores) {
  const auto frames = [](int threads) {
    const Plan plan{{{1, 3}, Granularity::coarse, threads}, Observation::Kind::stages};
    Experiment experiment(plan, chain_of(8, 1), 0, [] { return Probe{}; });
    int number = 0;
    while (!experiment.take(long_frame(plan, number), 1)) ++number;
    return number + 1;
  };
  EXPECT_LT(frames(8), 10) << "hardly more than a round";
}

// Memory that is touched for the first time: the last frame of a round may find no other.
TEST(LongExperimentTest, OfFirstCopiesTheLeastCounts) {
  const Plan plan{{{1, 2}, Granularity::coarse, 8}, Observation::Kind::stages};
  Experiment experiment(plan, chain_of(8, 1), 0, [] { return Probe{}; });
  bool over = false;
  for (int number = 0; !over; ++number) {
    FrameTimes times = long_frame(plan, number);
    times.stage_ns = {number == 2 ? 1'000'000U : 3'000'000U, 700'000'000};
    times.download_ns[0] = number == 3 ? 10'000'000 : 50'000'000;
    over = experiment.take(times, 1);
  }
  const Observation seen = experiment.observation();
  EXPECT_EQ(seen.stages[0].seconds, 1e-3);
  EXPECT_EQ(seen.stages[0].download_s, 10e-3);
  EXPECT_NEAR(seen.stages[1].seconds, 0.7, 1e-9);
}

// Who makes page-locked memory of large frames keeps the source from making its own.
TEST(LongExperimentTest, ASourceThatGetsNoMemoryIsNoSlowSource) {
  const auto starved_frames = [](bool makes_memory) {
    const Plan plan{{{1, 3}, Granularity::coarse, 8}, Observation::Kind::stages};
    int number = 0;
    const auto probe = [&] {
      return Probe{.now_ns = long_frame(plan, number).end_ns,
                   .buffers_made = static_cast<uint64_t>(makes_memory ? number : 0)};
    };
    Experiment experiment(plan, chain_of(8, 1), 0, probe);
    for (bool over = false; !over; ++number) {
      FrameTimes times = long_frame(plan, number);
      times.starved = true;
      over = experiment.take(times, 1);
    }
    return experiment.observation().starved_frames;
  };
  EXPECT_GT(starved_frames(false), 0);
  EXPECT_EQ(starved_frames(true), 0);
}

TEST(LongExperimentTest, WhatIsUnderWayAtTheEndOfALongTrialIsHalfDone) {
  const auto rate_fps = [](double grows_s) {
    const Plan plan{{{1, 3}, Granularity::coarse, 8}, Observation::Kind::look, 0.8};
    Experiment experiment(plan, chain_of(8, 1), 0, [] { return Probe{}; });
    int number = 0;
    while (!experiment.take(long_frame(plan, number, number * grows_s), 1)) ++number;
    return 1 / experiment.observation().frame_s;
  };
  EXPECT_NEAR(rate_fps(0), 10, 1);
  // Each frame is under way for 50 ms longer than the one before it: 10 begin and 6.7 leave.
  EXPECT_NEAR(rate_fps(0.05) / rate_fps(0), 0.8, 0.03);
}

// Memory is made while so many frames begin: what counts are those behind them.
TEST(LongExperimentTest, ALongTrialWaitsUntilMemoryIsMade) {
  const auto frames = [](int making) {
    const Plan plan{{{1, 3}, Granularity::coarse, 8}, Observation::Kind::look, 0.8};
    int number = 0;
    const auto probe = [&] {
      return Probe{.now_ns = long_frame(plan, number).end_ns,
                   .buffers_made = static_cast<uint64_t>(std::min(number, making))};
    };
    Experiment experiment(plan, chain_of(8, 1), 0, probe);
    while (!experiment.take(long_frame(plan, number), 1)) ++number;
    return number;
  };
  const int none = frames(0);
  EXPECT_EQ(frames(12), none + 8) << "the third round instead of the second one";
  EXPECT_EQ(frames(1000), none + 16) << "no longer than a second";
}

}  // namespace
}  // namespace tandem
