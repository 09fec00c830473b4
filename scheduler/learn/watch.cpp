// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/watch.h"

#include <cmath>
#include <utility>

#include "model/median.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// The first frames pay for memory that a configuration touches for the first time.
constexpr int kSettlingFrames = 8;
// The mean of what passes in so long is one sample, and so many samples tell what is usual. A
// device may compute hundreds of frames while it is held up once. A thread that loses its core to
// something else loses it for as long as many short frames take: few of them show it, and no
// median does. One sample that stands out is no drift, for DriftDetector.
constexpr uint64_t kSampleNs = 50'000'000;
constexpr std::size_t kReferenceSamples = 16;
// Of the latest samples, as many as tell how large a change is.
constexpr std::size_t kLatestSamples = 5;
// The smallest lasting change of service times that is worth a training.
constexpr double kDrift = 0.25;
// Frames in a row with others behind them after which the source does keep the threads busy.
constexpr int kBusyFrames = 64;

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
  Path& path = paths_[device_stages];
  const News cores = path.cores.frame_done(times.begin_ns, cores_ns);
  const News device = path.device.frame_done(times.begin_ns, device_ns);
  return cores == News::drift || device == News::drift ? News::drift : otherwise;
}

// Of several paths that have a side, the one that has changed most tells how much. Less than what
// is drift is no change: one side waits a little more for the other when that is slower.
Watch::Change Watch::change() const {
  Change change;
  const auto take = [](double& most, double ratio) {
    const double by = std::abs(std::log(ratio));
    if (by > std::log1p(kDrift) && by > std::abs(std::log(most))) most = ratio;
  };
  for (const auto& [device_stages, path] : paths_) {
    take(change.cores, path.cores.ratio());
    take(change.device, path.device.ratio());
  }
  return change;
}

Watch::News Watch::Side::frame_done(uint64_t began_ns, uint64_t took_ns) {
  if (took_ns == 0) return News::none;
  const std::optional<double> sampled_s = sample(began_ns, took_ns);
  if (!sampled_s) return News::none;
  if (drift) {
    if (latest_s.size() == kLatestSamples) latest_s.erase(latest_s.begin());
    latest_s.push_back(*sampled_s);
    return drift->observe(*sampled_s) ? News::drift : News::none;
  }
  first_samples.push_back(*sampled_s);
  if (first_samples.size() == kReferenceSamples) {
    const Estimate usual = estimate(first_samples);
    usual_s = usual.value;
    drift.emplace(usual.value, kDrift, usual.relative_spread);
    latest_s.reserve(kLatestSamples);
  }
  return News::none;
}

// The detector's own mean shows the full size of a change late.
double Watch::Side::ratio() const {
  if (latest_s.size() < kLatestSamples) return 1;
  std::vector<double> samples = latest_s;
  return median(samples) / usual_s;
}

std::optional<double> Watch::Side::sample(uint64_t began_ns, uint64_t took_ns) {
  if (seen < kSettlingFrames) {
    ++seen;
    sample_began_ns = began_ns;
    return {};
  }
  took_s += seconds(took_ns);
  ++frames;
  if (began_ns - sample_began_ns < kSampleNs) return {};
  sample_began_ns = began_ns;
  return std::exchange(took_s, 0) / std::exchange(frames, 0);
}

}  // namespace tandem
