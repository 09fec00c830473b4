// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/watch.h"

#include "model/median.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// The first frames pay for memory that a configuration touches for the first time.
constexpr int kSettlingFrames = 8;
// The median of what passes in so long is one sample, and so many samples tell what is usual. A
// device may compute hundreds of frames while it is held up once.
constexpr uint64_t kSampleNs = 50'000'000;
constexpr std::size_t kReferenceSamples = 16;
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

  Path& path = paths_[device_stages];
  const std::optional<double> service_s = path.sample(times);
  if (!service_s) return otherwise;
  if (path.drift) return path.drift->observe(*service_s) ? News::drift : otherwise;
  path.first_samples.push_back(*service_s);
  if (path.first_samples.size() == kReferenceSamples) {
    const Estimate usual = estimate(path.first_samples);
    path.drift.emplace(usual.value, kDrift, usual.relative_spread);
  }
  return otherwise;
}

std::optional<double> Watch::Path::sample(const FrameTimes& times) {
  if (seen < kSettlingFrames) {
    ++seen;
    sample_began_ns = times.begin_ns;
    return {};
  }
  services_s.push_back(seconds(times.service_ns()));
  if (times.begin_ns - sample_began_ns < kSampleNs) return {};
  sample_began_ns = times.begin_ns;
  const double service_s = median(services_s);
  services_s.clear();  // its memory is kept: a steady stream allocates nothing
  return service_s;
}

}  // namespace tandem
