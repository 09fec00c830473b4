// SPDX-License-Identifier: LGPL-2.1-or-later
// Experiments and trials of frames that take longer than kCheap_s.
#include <gtest/gtest.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "scheduler/learn/facts/experiment.h"
#include "tests/scheduler/learn/paper_chip.h"

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

// Medium grain is not measured where a device keeps up with all cores and frames are long. A trial
// of it once never ended, nor did its training.
TEST(LongExperimentTest, ATrialOfWhatNobodyHasMeasuredEnds) {
  const Plan plan{.configuration = {{1, 2}, Granularity::medium, 9},
                  .kind = Observation::Kind::glance,
                  .fill_s = kUnknown};
  Experiment experiment(plan, chain_of(8, 1), 0, [] { return Probe{}; });
  int number = 0;
  while (number < 1000 && !experiment.take(long_frame(plan, number), 1)) ++number;
  EXPECT_LT(number, 100);
}

// Frames come out in order: while a core computes one the source runs out of memory for others.
TEST(LongExperimentTest, ACoreThatHoldsUpTheDeviceComputesOneFrame) {
  const auto made = [](uint64_t passed_by, double core_s, double slow_fps, double most_s = 0.1) {
    const Configuration both{{3, 2}, Granularity::coarse, 2};
    const Plan plan{.configuration = both,
                    .kind = Observation::Kind::beside,
                    .slow_fps = slow_fps,
                    .core_s = most_s};
    Chain chain = chain_of(8, 3);
    chain.stages = 2;
    Experiment experiment(plan, chain, 0, [] { return Probe{}; });
    const auto core_ns = static_cast<uint64_t>(1e9 * core_s);
    int frames = 0;
    for (bool over = false; !over && frames < 100'000; ++frames) {
      const uint64_t round = static_cast<uint64_t>(frames) / (passed_by + 1);
      const bool on_core = static_cast<uint64_t>(frames) % (passed_by + 1) == 1;
      FrameTimes times;
      times.configuration = both;
      times.begin_ns = 1'000'000'000ULL + core_ns * round;
      times.end_ns = times.ready_ns = times.begin_ns + (on_core ? core_ns : 200'000);
      times.stage_ns = {times.service_ns() / 3, times.service_ns() - times.service_ns() / 3};
      times.passed_by = on_core ? passed_by : 0;
      over = experiment.take(times, on_core ? 0 : 3);
    }
    return std::pair{frames, experiment.observation()};
  };
  const auto [frames, seen] = made(63, 75e-3, 2500);
  EXPECT_EQ(frames, 2);
  EXPECT_NEAR(seen.service_s, 75e-3, 1e-9);
  EXPECT_NEAR(seen.stages[1].seconds, 50e-3, 1e-9);
  EXPECT_NEAR(1 / seen.frame_s, 64 / 75e-3, 1) << "of all that passed";
  EXPECT_NEAR(1 / seen.device_frame_s, 63 / 75e-3, 1);
  EXPECT_NEAR(seen.lasted_s, 75e-3, 1e-6);
  EXPECT_NEAR(seen.latency_s, 75e-3, 5e-3);
  EXPECT_FALSE(seen.in_vain);
  EXPECT_NEAR(seen.busy.cores_s, 1, 1e-9);
  EXPECT_GT(made(127, 75e-3, 2500).first, 2) << "enough, were its first frame slow by half";
  EXPECT_GT(made(31, 45e-3, 2500).first, 2) << "two of them last no longer";
  EXPECT_GT(made(1, 75e-3, 200).first, 2) << "all cores together are fast enough";
  EXPECT_GT(made(63, 75e-3, 0).first, 2) << "nothing is known to be faster";
  EXPECT_GT(made(63, 75e-3, 2500, 60e-3).first, 2) << "a frame of a core whose memory is there";
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

// Twelve cores whose frames take 6 ms begin with one that makes memory, and takes longer. A device
// takes 0.1 ms a frame. Frames leave in order, and a source has 64 buffers.
TEST(LongExperimentTest, TheFirstRoundOfCoresBesideTheDeviceDoesNotCount) {
  constexpr std::size_t kBuffers = 64;
  Plan plan{{{3, 2}, Granularity::coarse, 13}, Observation::Kind::beside};
  const auto seen_after = [&](double first_s) {
    uint64_t now_ns = 0;
    Experiment experiment(plan, chain_of(16, 3), 0, [&] { return Probe{now_ns}; });
    std::vector<double> free_s(13, 1), left_s;
    for (int frame = 0; frame < 10000; ++frame) {
      const auto who = std::ranges::min_element(free_s);
      const bool device = who == free_s.begin();
      const std::size_t number = left_s.size();
      const double begin_s = std::max(*who, number < kBuffers ? 0 : left_s[number - kBuffers]);
      *who = begin_s + (device ? 0.1e-3 : begin_s < 1.005 ? first_s : 6e-3);
      FrameTimes times;
      times.configuration = plan.configuration;
      times.begin_ns = static_cast<uint64_t>(1e9 * begin_s);
      times.end_ns = times.ready_ns = static_cast<uint64_t>(1e9 * *who);
      left_s.push_back(std::max(*who, number == 0 ? 0 : left_s.back()));
      now_ns = static_cast<uint64_t>(1e9 * left_s.back());
      if (experiment.take(times, device ? 3 : 0)) return experiment.observation();
    }
    return Observation{};
  };
  for (const double first_s : {6e-3, 20e-3, 45e-3}) {
    const Observation seen = seen_after(first_s);
    EXPECT_NEAR(seen.device_frame_s, 0.115e-3, 0.01e-3) << first_s;
    EXPECT_NEAR(seen.service_s, 6e-3, 1e-6) << first_s;
    EXPECT_LT(seen.lasted_s, 0.12) << first_s;
  }
  plan.core_s = 60e-3;
  EXPECT_GT(seen_after(45e-3).device_frame_s, 0.15e-3) << "a second round would be too long";
}

}  // namespace
}  // namespace tandem
