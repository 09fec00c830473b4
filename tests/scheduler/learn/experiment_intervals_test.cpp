// SPDX-License-Identifier: LGPL-2.1-or-later
// Experiments on frames of which stages leave some out.
#include <gtest/gtest.h>

#include "scheduler/learn/facts/experiment.h"
#include "scheduler/learn/run/watch.h"
#include "tests/scheduler/learn/paper_chip.h"

namespace tandem {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr int kPeriod = 4;

/// Stage 0 takes 8 ms of each fourth frame, stage 1 takes 2 ms of each; the device as long as the
/// cores.
class Frames {
 public:
  explicit Frames(const Plan& plan) : configuration_(plan.configuration), step_(plan.step()) {}

  FrameTimes next() {
    FrameTimes times;
    times.configuration = configuration_;
    times.stages_apart = step_.time_stages;
    times.left_out = count_++ % kPeriod == 0 ? 0 : 1;
    times.stage_ns = {times.left_out == 0 ? 8 * kMs : 0, 2 * kMs};
    times.begin_ns = now_ns_;
    times.end_ns = times.ready_ns = now_ns_ += times.stage_ns[0] + times.stage_ns[1];
    return times;
  }
  uint64_t now_ns() const { return now_ns_; }

 private:
  Configuration configuration_;
  Step step_;
  int count_ = 0;
  uint64_t now_ns_ = 1'000 * kMs;
};

/// `device_stages`: those that a device computes where they are not left out.
Observation observe(const Plan& plan, uint32_t device_stages) {
  Chain chain;
  chain.stages = 2;
  chain.cores = 2;
  chain.device_capable = 3;
  chain.period = kPeriod;
  Frames frames(plan);
  Experiment experiment(plan, chain, 0, [&] { return Probe{frames.now_ns()}; });
  for (int i = 0; i < 10'000; ++i) {
    const FrameTimes times = frames.next();
    if (!experiment.take(times, device_stages & ~times.left_out)) continue;
    Observation seen = experiment.observation();
    EXPECT_EQ(seen.frames % kPeriod, 0);
    return seen;
  }
  ADD_FAILURE() << "it does not end";
  return {};
}

TEST(ExperimentIntervals, AStageCountsByThePartOfTheFramesThatItComputes) {
  const Observation seen = observe({{{0, 2}, Granularity::coarse, 1}}, 0);
  EXPECT_NEAR(seen.stages.at(0).seconds, 2e-3, 1e-6);
  EXPECT_NEAR(seen.stages.at(1).seconds, 2e-3, 1e-6);
  EXPECT_NEAR(seen.service_s, 4e-3, 1e-6);
  EXPECT_NEAR(seen.frame_s, 4e-3, 1e-6);
}

TEST(ExperimentIntervals, OnTheDeviceToo) {
  const Observation apart =
      observe({{{1, 2}, Granularity::coarse, 1}, Observation::Kind::stages}, 1);
  EXPECT_NEAR(apart.stages.at(0).seconds, 2e-3, 1e-6);
  EXPECT_NEAR(apart.stages.at(1).seconds, 2e-3, 1e-6);
  const Observation whole = observe({{{1, 2}, Granularity::coarse, 1}}, 1);
  EXPECT_FALSE(whole.in_vain);
  EXPECT_NEAR(whole.frame_s, 4e-3, 1e-6);
}

TEST(ExperimentIntervals, ATrialLastsWholePeriods) {
  for (const auto kind : {Observation::Kind::glance, Observation::Kind::look})
    EXPECT_NEAR(observe({{{0, 2}, Granularity::coarse, 1}, kind}, 0).frame_s, 4e-3, 1e-6);
}

// Frames that stage 0 leaves out have nothing for the device: they are none that the cores took.
TEST(ExperimentIntervals, BesideTheDeviceFramesWithoutWorkForItAreNoFramesOfTheCores) {
  const Plan plan{{{1, 2}, Granularity::coarse, 2}, Observation::Kind::beside};
  Chain chain;
  chain.stages = chain.cores = 2;
  chain.device_capable = 3;
  chain.period = kPeriod;
  Frames frames(plan);
  Experiment experiment(plan, chain, 0, [&] { return Probe{frames.now_ns()}; });
  bool over = false;
  for (int i = 0; i < 10'000 && !over; ++i) {
    const FrameTimes times = frames.next();
    const bool core = i / kPeriod % 2 == 0;  // each second frame that is computed
    over = experiment.take(times, core ? 0 : 1 & ~times.left_out);
  }
  ASSERT_TRUE(over);
  const Observation seen = experiment.observation();
  EXPECT_NEAR(seen.service_s, 4e-3, 1e-4);
  EXPECT_NEAR(seen.device_frame_s, 2 * seen.frame_s, 0.2 * seen.frame_s);
}

TEST(ExperimentIntervals, FramesOfSeveralKindsAreNoDrift) {
  Watch watch;
  Frames frames({{{0, 2}, Granularity::coarse, 1}});
  for (int i = 0; i < 10'000; ++i) {
    const FrameTimes times = frames.next();
    EXPECT_NE(watch.frame_done(times, 0), Watch::News::drift) << i;
  }
}

}  // namespace
}  // namespace tandem
