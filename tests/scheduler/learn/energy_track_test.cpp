// SPDX-License-Identifier: LGPL-2.1-or-later
// What the steps of a slow counter tell over a whole training, on frames whose power is known.
#include "scheduler/learn/facts/energy_track.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace tandem {
namespace {

constexpr double kStatic = 90, kCore = 6, kDevice = 250, kLanes = 100;
constexpr uint64_t kMs = 1'000'000, kCounterNs = 100 * kMs;

Chain chain_of_two() {
  Chain chain;
  chain.stages = 2;
  chain.cores = 16;
  chain.device_capable = 3;
  chain.domains.g = Domain::dominant;
  chain.energy_resolution_s = 0.1;
  return chain;
}

/// Frames one after the other, and a counter whose values come every 100 ms.
class Stream {
 public:
  /// So many frames of a millisecond, of which `part` is busy on the device or on one core, or on
  /// all cores under medium grain.
  void run(Configuration configuration, int frames, double part) {
    const bool device = configuration.mapping.any_device();
    for (int i = 0; i < frames; ++i) {
      FrameTimes times;
      times.configuration = configuration;
      times.begin_ns = now_ns_;
      times.end_ns = now_ns_ += kMs;
      times.stage_ns[0] = static_cast<uint64_t>(part * (1 + noise_(random_)) * kMs);
      const Busy busy = busy_of(times, device ? 3 : 0, chain);
      joules_ += 1e-3 * kStatic + kCore * busy.cores_s + kDevice * busy.devices_s[0] +
                 (configuration.lanes > 1 ? 1e-3 * kLanes : 0);
      if (now_ns_ / kCounterNs > told_ns_ / kCounterNs) {
        told_ns_ = now_ns_;
        told_j_ = joules_;
      }
      track.take(times, device ? 3 : 0, [this] { return probe(); });
    }
  }

  const Chain chain = chain_of_two();
  EnergyTrack track{chain};
  bool breaks = false;

 private:
  Probe probe() const {
    EnergyReading reading;
    reading.g.since_open_j = told_j_;
    reading.g.at = MeterClock::time_point{std::chrono::nanoseconds(told_ns_)};
    reading.g.breaks = breaks ? static_cast<uint32_t>(told_ns_ / kCounterNs) : 0;
    return {now_ns_, 0, reading};
  }

  uint64_t now_ns_ = 1037 * kMs, told_ns_ = now_ns_;
  double joules_ = 0, told_j_ = 0;
  std::mt19937 random_{7};
  std::normal_distribution<double> noise_{0, 0.1};
};

const Configuration kDeviceAlone{{3, 2}, Granularity::coarse, 1};
const Configuration kMedium{{0, 2}, Granularity::medium, 17};
const Configuration kCoreAlone{{0, 2}, Granularity::coarse, 1};

TEST(EnergyTrack, ExperimentsShorterThanAStepTellWhatEachSideDraws) {
  Stream stream;
  for (int i = 0; i < 4; ++i) {
    stream.run(kDeviceAlone, 150, 0.9);
    stream.run(kMedium, 60, 0.9);
    stream.run(kCoreAlone, 50, 1);
  }
  const PowerFits fits = stream.track.fits();
  EXPECT_GE(fits.g.steps, 8);
  EXPECT_NEAR(fits.g.static_w, kStatic, 0.1 * kStatic);
  EXPECT_NEAR(fits.g.core_w, kCore, 0.15 * kCore);
  EXPECT_NEAR(fits.g.device_w[0], kDevice, 0.1 * kDevice);
  EXPECT_FALSE(known(fits.c.static_w)) << "which no meter covers";
}

TEST(EnergyTrack, GlancesTellWhatLanesDrawWhicheverThreadsTheyHave) {
  Stream stream;
  Configuration lanes = kDeviceAlone;
  lanes.lanes = 4;
  for (const int threads : {1, 2, 3, 4}) {
    stream.run(kMedium, 60, 0.9);
    stream.run(kDeviceAlone, 130, 0.9);
    lanes.threads = threads;
    stream.run(lanes, 90, 0.9);
  }
  Observation glance;
  glance.kind = Observation::Kind::glance;
  glance.busy = {0, {0.9}};
  std::vector<Observation> glances(3, glance);
  glances[0].configuration = kDeviceAlone;
  glances[1].configuration = glances[2].configuration = lanes;
  glances[2].configuration.lanes = 8;
  const auto seen = with_watts(glances, stream.track.fits());
  const double one_w = kStatic + 0.9 * kDevice;
  EXPECT_NEAR(seen[0].watts.g, one_w, 0.07 * one_w);
  EXPECT_NEAR(seen[1].watts.g, one_w + kLanes, 0.07 * one_w);
  EXPECT_FALSE(known(seen[2].watts.g)) << "which never ran: the model's power is taken";
}

TEST(EnergyTrack, IntervalsThatTheCounterLostTellNothing) {
  Stream stream;
  stream.breaks = true;
  stream.run(kDeviceAlone, 1000, 0.9);
  EXPECT_EQ(stream.track.fits().g.steps, 0);
}

TEST(EnergyTrack, LanesDoNotMakeADeviceBusierThanItIs) {
  FrameTimes times;
  times.configuration = kDeviceAlone;
  times.configuration.lanes = 8;
  times.stage_ns = {2 * kMs, 3 * kMs};
  times.download_ns[1] = kMs;
  const Busy busy = busy_of(times, 3, chain_of_two());
  EXPECT_DOUBLE_EQ(busy.devices_s[0], 6e-3);
  EXPECT_EQ(busy.cores_s, 0);
  times.configuration = kMedium;
  times.configuration.frames_at_once = 2;
  EXPECT_DOUBLE_EQ(busy_of(times, 0, chain_of_two()).cores_s, 8 * 5e-3) << "half of the cores";
}

TEST(EnergyTrack, EachKindOfDeviceIsBusyWithItsOwnStages) {
  FrameTimes times;
  times.configuration = kDeviceAlone;
  times.configuration.mapping.set(1, Side::h);
  times.stage_ns = {2 * kMs, 3 * kMs};
  Chain chain = chain_of_two();
  chain.further = {{.capable = 3, .devices = 2}};
  const Busy busy = busy_of(times, 3, chain);
  EXPECT_DOUBLE_EQ(busy.devices_s[0], 2e-3);
  EXPECT_DOUBLE_EQ(busy.devices_s[1], 3e-3);
  const Busy most = at_most_all({20, {5, 5, 5}}, 1, chain);
  EXPECT_EQ(most.cores_s, 16);
  EXPECT_EQ(most.devices_s, (PerLetter{1, 2, 0}));
}

TEST(EnergyTrack, WhatAnExperimentMeasuredItselfStaysAndTheRestIsFitted) {
  PowerFits fits;
  fits.g = {kStatic, kCore, {kDevice, 0, 0}, {}, 10};
  Observation own, fitted, glance;
  own.watts.g = 123;
  fitted.busy = glance.busy = {2, {0.5}};
  glance.kind = Observation::Kind::glance;
  const auto seen = with_watts({own, fitted, glance}, fits);
  EXPECT_EQ(seen[0].watts.g, 123);
  EXPECT_DOUBLE_EQ(seen[1].watts.g, kStatic + 2 * kCore + 0.5 * kDevice);
  EXPECT_FALSE(known(seen[1].watts.u));
  EXPECT_FALSE(known(seen[2].watts.g)) << "no step tells of what it ran";
}

// Without any it would be left out of every choice, and with what the fit says it may seem to draw
// nothing.
TEST(EnergyTrack, AnExperimentWhoseWattsAreUncertainHasThoseOfAllAtWork) {
  PowerFits fits;
  fits.g = {kStatic, kCore, {kDevice, 0, 0}, {}, 10};
  fits.g.covariance[0][0] = kDevice * kDevice;
  Observation cores, device, glance;
  cores.busy = glance.busy = {16, {}};
  device.busy = {0, {1}};
  glance.kind = Observation::Kind::glance;
  const auto seen = with_watts({cores, device, glance}, fits);
  for (const int experiment : {0, 1})
    EXPECT_DOUBLE_EQ(seen[experiment].watts.g, kStatic + 16 * kCore + kDevice);
  EXPECT_FALSE(known(seen[2].watts.g));
  fits.g.static_w = kUnknown;
  EXPECT_FALSE(known(with_watts({cores}, fits)[0].watts.g)) << "there is no fit";
}

}  // namespace
}  // namespace tandem
