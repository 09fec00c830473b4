// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "model/measurements.h"
#include "scheduler/frame_times.h"
#include "scheduler/machine/probe.h"

namespace tandem {

/// What a stretch of frames under one configuration took.
struct Measured {
  double throughput_fps = kUnknown;
  double energy_j = kUnknown;  ///< a frame, in the domains that the meter covers
};

/// Of frames that came at `throughput_fps` between two probes.
Measured measured_between(const Probe& begin, const Probe& end, const Domains& domains,
                          double throughput_fps);

/// Tries one configuration on frames of the stream: lets it fill, then measures its rate and its
/// energy. State in, decision out, as Trainer.
class TrialRun {
 public:
  /// A glance finds out what is worth looks at length: threads that begin together keep their
  /// rhythm for a while, which is not the one that lasts.
  enum class Length { glance, look };

  /// `latency_s`: what the slowest path takes for a frame; it fills for so long. `least_seconds`:
  /// what the energy counter needs.
  TrialRun(const Configuration& configuration, Length length, double latency_s,
           double least_seconds, ReadProbe read_probe);

  const Configuration& configuration() const { return configuration_; }
  Length length() const { return length_; }
  /// Takes the times of a finished frame, in the order of the stream. True when it is over.
  bool observe(const FrameTimes& times);
  Measured measured(const Domains& domains) const;
  double lasted_s() const;

 private:
  const Configuration configuration_;
  const Length length_;
  const double fill_s_, least_seconds_;
  const ReadProbe read_probe_;
  // By when frames were begun, which is in order: they come out in bursts when paths differ in
  // speed.
  uint64_t first_ns_ = 0, start_ns_ = 0, last_ns_ = 0;
  int seen_ = 0, counted_ = 0;
  Probe begin_, end_;
  bool counts_joules_ = false;  // begin_'s energy is from this trial
};

}  // namespace tandem
