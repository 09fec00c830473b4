// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "model/measurements.h"
#include "scheduler/frame_times.h"
#include "scheduler/machine/probe.h"

namespace tandem {

/// What a stretch of frames under one configuration took.
struct Measured {
  double throughput_fps = kUnknown;
  double energy_j = kUnknown;  ///< a frame, in the domains that the meter covers
};

/// What runs, since it was decided: the frames after the first ones, which fill the executor.
class Steady {
 public:
  /// Another configuration runs.
  void begin_anew() { frames_ = 0; }
  void frame_done(const FrameTimes& times, const ReadProbe& read_probe);
  /// Up to now.
  Measured measured(const Domains& domains, const ReadProbe& read_probe) const;

 private:
  int frames_ = 0;
  uint64_t since_ns_ = 0, last_begin_ns_ = 0;  // frames are begun in order, and end in bursts
  Probe begin_;
};

}  // namespace tandem
