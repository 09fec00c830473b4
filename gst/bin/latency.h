// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <array>
#include <cstdint>
#include <optional>

#include "model/measurements.h"

namespace tandem::bin {

/// The interval between the frames of a stream, in nanoseconds.
///
/// The rate of the caps decides. Caps have no rate (`framerate=0/1`, or none) behind RTP and in
/// streams of variable rate; a rate above that of any video (kShortestInterval_ns) counts as none.
/// The interval is then estimated:
///
/// | known so far | interval |
/// | --- | --- |
/// | nothing | kAssumed_ns, or that of the caps before |
/// | one time or duration | the difference to the time before, else the duration |
/// | each kBlock more | the mean of the block's middle half |
///
/// The middle half leaves out gaps and bursts, and averages out a 3:2 pattern. Each change makes
/// sinks jump, whereas an interval that is too long costs delay only. An estimate therefore
/// replaces the previous one if it is kLonger times as long, or if the previous one is kShorter
/// times as long. Used by one thread at a time.
class FrameInterval {
 public:
  using Time = std::optional<uint64_t>;  ///< ns; none: unknown

  /// Called for new caps. `nominal_ns`: the interval of their rate.
  void caps(Time nominal_ns);
  /// Called for each frame. Returns true if ns() or known() changes.
  bool came(Time time_ns, Time duration_ns);
  /// Called after a flush, a segment or a gap: the next frame does not follow the last one.
  void interrupt() { last_ns_.reset(); }

  uint64_t ns() const { return ns_; }
  /// Whether ns() comes from caps or frames, otherwise it is assumed.
  bool known() const { return known_; }

 private:
  static constexpr int kBlock = 16;  // half a second at 30 frames/s

  Time next(Time time_ns, Time duration_ns);
  uint64_t middle() const;

  // An hour: sums of longer intervals could overflow.
  static constexpr uint64_t kLongest_ns = 3'600'000'000'000;
  static constexpr uint64_t kAssumed_ns = 40'000'000;  // 25 frames/s, as encoders assume it
  uint64_t ns_ = kAssumed_ns;
  bool nominal_ = false, known_ = false;
  bool estimated_ = false, blocks_ = false;  // since the last caps: by an interval, by a block
  Time last_ns_;
  std::array<uint64_t, kBlock> intervals_ns_{};
  int count_ = 0;  // in intervals_ns_
};

/// The bin's own latency in its answers to LATENCY queries. Sinks wait for that long, so it is an
/// upper bound for nearly all frames of a source that the stages keep up with. It changes with the
/// configuration, and when frames take longer than predicted.
class Latency {
 public:
  /// Called for each new configuration. `frames_at_a_time`: most frames that it computes
  /// concurrently. `p95_s`: predicted 95th percentile, unknown during training. Returns true if the
  /// answer changes.
  bool decided(int frames_at_a_time, double p95_s);
  /// Called with the measured 95th percentile. Returns true if the answer changes.
  bool measured(double p95_s);
  /// Returns the answer for frames with the interval `frame_ns`.
  uint64_t answer_ns(uint64_t frame_ns) const;

 private:
  int frames_at_a_time_ = 0;
  double seconds_ = kUnknown;  // upper bound for nearly all frames
};

/// Returns the interval of the caps' rate; none: the caps have no rate.
FrameInterval::Time nominal_interval(const GstVideoInfo& info);

/// Calls FrameInterval::came() with the times of a buffer.
bool frame_came(FrameInterval& interval, const GstBuffer* frame);

/// Adds `least_ns` to the minimum of an answered LATENCY query, and the duration of `frames` queued
/// frames of `frame_ns` each to its maximum.
void add_latency(GstQuery* query, uint64_t least_ns, int frames, uint64_t frame_ns);

}  // namespace tandem::bin
