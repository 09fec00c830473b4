// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "model/latency_sketch.h"
#include "model/measurements.h"
#include "scheduler/frame_times.h"
#include "scheduler/machine/probe.h"

namespace tandem {

/// The first frames pay for memory that a configuration touches for the first time.
inline constexpr int kFirstFrames = 8;

/// Rate, energy and latency of a stretch of frames under one configuration.
struct Measured {
  double throughput_fps = kUnknown;
  double energy_j = kUnknown;  ///< a frame, in the domains that the meter covers
  /// Median and 95th percentile of frames from pad to pad (FrameTimes::latency_ns).
  double latency_p50_s = kUnknown, latency_p95_s = kUnknown;
  double waiting_p95_s = kUnknown;  ///< before they began, behind other frames
};

/// Measures the configuration of the latest decision, without its first frames, which fill the
/// executor.
class Steady {
 public:
  /// Another configuration runs.
  void begin_anew();
  void frame_done(const FrameTimes& times, const ReadProbe& read_probe);
  /// A frame of the configuration before is out: frames begun before that may have waited for it.
  void other_frame_done(const FrameTimes& times) { others_ready_ns_ = times.ready_ns; }
  double latency_p95_s() const { return latency_.percentile_s(95); }
  /// Up to now.
  Measured measured(const Domains& domains, const ReadProbe& read_probe) const;

 private:
  int frames_ = 0;
  uint64_t since_ns_ = 0, last_begin_ns_ = 0;  // frames are begun in order, and end in bursts
  uint64_t others_ready_ns_ = 0;
  LatencySketch latency_, waiting_;
  Probe begin_;
};

}  // namespace tandem
