// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/run/watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/median.h"
#include "scheduler/learn/facts/steady.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// The mean time of frames within kSampleNs is one sample. The first samples are the reference. A
// device may compute hundreds of frames while it is held up once. A thread that loses its core to
// something else loses it for as long as many short frames take: few of them show it, and no
// median does. One sample that stands out is no drift, for DriftDetector.
constexpr uint64_t kSampleNs = 40'000'000;
constexpr std::size_t kReferenceSamples = 16;
// The latest samples, which show how large a change is.
constexpr std::size_t kLatestSamples = 5;
// The smallest lasting change of service times that is worth a training.
constexpr double kDrift = 0.25;
// Frames in a row with others behind them after which the source does keep the threads busy.
constexpr int kBusyFrames = 64;

double median_of(const auto& samples, auto member) {
  std::vector<double> values;
  for (const auto& sample : samples) values.push_back(sample.*member);
  return median(values);
}

}  // namespace

Watch::News Watch::frame_done(const FrameTimes& times, uint32_t device_stages) {
  if (times.starved) {
    busy_frames_ = 0;
    return News::none;
  }
  const News otherwise = ++busy_frames_ == kBusyFrames ? News::busy : News::none;

  uint64_t cores_ns = 0, device_ns = 0;
  for (int k = 0; k < times.configuration.mapping.stages; ++k)
    ((device_stages >> k & 1) != 0 ? device_ns : cores_ns) += times.stage_ns[k];
  Path& path = paths_[{device_stages, times.left_out}];
  const News cores = path.cores.frame_done(times.begin_ns, cores_ns);
  News device = path.device.frame_done(times.begin_ns, device_ns);
  path.has_lanes = times.configuration.lanes > 1;
  if (device == News::drift && path.lanes_tell()) {
    path.device = {};
    device = News::none;
  }
  return cores == News::drift || device == News::drift ? News::drift : otherwise;
}

// If several paths have a side, the one that has changed most counts. A change below that of drift
// is none: one side waits a little more for the other when that is slower.
Slowdown Watch::change() const {
  Slowdown change;
  const auto take = [](double& most, double ratio) {
    const double by = std::abs(std::log(ratio));
    if (by > std::log1p(kDrift) && by > std::abs(std::log(most))) most = ratio;
  };
  for (const auto& [kind, path] : paths_) {
    take(change.cores, path.cores.ratio());
    if (!path.lanes_tell()) take(change.device, path.device.ratio());
  }
  return change;
}

Watch::News Watch::Side::frame_done(uint64_t began_ns, uint64_t took_ns) {
  if (took_ns == 0) return News::none;
  const std::optional<Sample> sampled = sample(began_ns, took_ns);
  if (!sampled) return News::none;
  if (drift) {
    if (latest.size() == kLatestSamples) latest.erase(latest.begin());
    latest.push_back(*sampled);
    return drift->observe(sampled->took_s) ? News::drift : News::none;
  }
  first_samples.push_back(*sampled);
  if (first_samples.size() == kReferenceSamples) {
    std::vector<double> times_s;
    for (const Sample& one : first_samples) times_s.push_back(one.took_s);
    const Estimate estimated = estimate(times_s);
    usual = {estimated.value, median_of(first_samples, &Sample::apart_s)};
    drift.emplace(usual.took_s, kDrift, estimated.relative_spread);
    latest.reserve(kLatestSamples);
  }
  return News::none;
}

// The detector's own mean shows the full size of a change late.
double Watch::Side::ratio() const {
  if (latest.size() < kLatestSamples) return 1;
  return median_of(latest, &Sample::took_s) / usual.took_s;
}

// By Little's law frames come as much more seldom as they take longer, if as many are under way.
// Where they come more seldom by less than drift, more or fewer frames are under way.
bool Watch::Path::lanes_tell() const {
  if (!has_lanes || device.latest.empty()) return false;
  const double longer =
      std::log(median_of(device.latest, &Side::Sample::took_s) / device.usual.took_s);
  const double rarer =
      std::log(median_of(device.latest, &Side::Sample::apart_s) / device.usual.apart_s);
  const double least = std::log1p(kDrift);
  if (std::abs(longer) <= least) return false;
  return (longer > 0 ? rarer : -rarer) < least;
}

std::optional<Watch::Side::Sample> Watch::Side::sample(uint64_t began_ns, uint64_t took_ns) {
  if (seen < kFirstFrames) {
    ++seen;
    sample_began_ns = began_ns;
    return {};
  }
  took_s += seconds(took_ns);
  ++frames;
  const uint64_t lasted_ns = began_ns - sample_began_ns;
  if (lasted_ns < kSampleNs) return {};
  sample_began_ns = began_ns;
  const int passed = std::exchange(frames, 0);
  return Sample{std::exchange(took_s, 0) / passed, seconds(lasted_ns) / passed};
}

}  // namespace tandem
