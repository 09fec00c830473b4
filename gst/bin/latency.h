// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <array>
#include <cstdint>
#include <optional>

#include "model/measurements.h"

// Between GStreamer's times and those of FrameInterval and Latency.

namespace tandem::bin {

/// How far apart the frames of a stream come, in nanoseconds.
///
/// The rate of the caps decides. Caps without a rate (`framerate=0/1`, or none) are usual behind
/// RTP and in variable-rate streams; a rate that no video has (kShortestInterval_ns) counts as
/// none. The interval is then estimated:
///
/// | known so far | interval |
/// | --- | --- |
/// | nothing | kAssumed_ns, or that of the caps before |
/// | one time or duration | the difference to the time before, else the duration |
/// | each kBlock more | the mean of the block's middle half |
///
/// The middle half leaves out gaps and bursts, and averages out a 3:2 pattern. Each change makes
/// sinks jump, and an interval that is too long costs no more than delay. An estimate therefore
/// replaces another one if it is kLonger times as long, or if the other one is kShorter times as
/// long. For one thread at a time.
class FrameInterval {
 public:
  using Time = std::optional<uint64_t>;  ///< ns; none: unknown

  /// New caps, whose frames come so far apart.
  void caps(Time nominal_ns);
  /// A frame came. True when ns() or known() is another one than before.
  bool came(Time time_ns, Time duration_ns);
  /// The next frame does not follow the one before: after a flush, a segment or a gap.
  void interrupt() { last_ns_.reset(); }

  uint64_t ns() const { return ns_; }
  /// Whether ns() is of caps or frames, and not assumed.
  bool known() const { return known_; }

 private:
  static constexpr int kBlock = 16;  // half a second at 30 frames/s

  Time next(Time time_ns, Time duration_ns);
  uint64_t middle() const;

  // An hour: times that are wrong by more would overflow sums of intervals.
  static constexpr uint64_t kLongest_ns = 3'600'000'000'000;
  static constexpr uint64_t kAssumed_ns = 40'000'000;  // 25 frames/s, as encoders assume it
  uint64_t ns_ = kAssumed_ns;
  bool nominal_ = false, known_ = false;
  bool estimated_ = false, blocks_ = false;  // since these caps: from an interval, from a block
  Time last_ns_;
  std::array<uint64_t, kBlock> intervals_ns_{};
  int count_ = 0;  // in intervals_ns_
};

/// What the bin answers to LATENCY queries: how much later frames leave than they came. A sink
/// waits for so long, so the answer has to hold for nearly all frames of a source that the stages
/// keep up with. It changes when another configuration runs, or when frames take longer.
class Latency {
 public:
  /// What runs works on so many frames at a time, and 95 of 100 frames are expected to take
  /// `p95_s` at most; unknown while frames train and where nothing was learnt. True when the answer
  /// is another one than before.
  bool decided(int frames_at_a_time, double p95_s);
  /// As measured since. True when the answer has to be another one.
  bool measured(double p95_s);
  /// For frames that come so far apart.
  uint64_t answer_ns(uint64_t frame_ns) const;

 private:
  int frames_at_a_time_ = 0;
  double seconds_ = kUnknown;  ///< room for nearly all frames
};

/// How far apart frames with these caps come; none: the caps have no rate.
FrameInterval::Time nominal_interval(const GstVideoInfo& info);

/// FrameInterval::came() of a buffer.
bool frame_came(FrameInterval& interval, const GstBuffer* frame);

/// Adds `least_ns` to the minimum of an answered LATENCY query. Its maximum grows by `frames` that
/// can wait, `frame_ns` each.
void add_latency(GstQuery* query, uint64_t least_ns, int frames, uint64_t frame_ns);

}  // namespace tandem::bin
