// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "scheduler/flow/executor.h"

namespace tandem::bin {

/// Selects the frames to drop if a source, such as a live source, is faster than the stages.
///
/// | `overload` | if the stages are busy and a frame waits already |
/// | --- | --- |
/// | block | upstream waits, no frame is dropped |
/// | drop | the new frame replaces the waiting one |
///
/// With `drop` the streaming thread never waits. The new frame is dropped instead if the waiting
/// one cannot be taken back: the sink blocks, or an event arrived between the two. Late frames are
/// dropped as well: according to the sink's QoS events, as in GstVideoDecoder, or later than
/// `max-lateness` after their presentation time.
///
/// Each dropped frame is reported by a QoS message, and the log has at most one line a second.
class Overload {
 public:
  enum Policy { kBlock, kDrop };

  explicit Overload(GstElement* bin) : bin_(bin) {}

  void set(Policy policy, gint64 max_lateness_ns);

  /// Takes the waiting frame back and returns it to the caller; null: not possible.
  using TakeBack = std::function<GstBuffer*()>;

  /// Returns whether to drop a frame that arrived on `sink`. The first frame after dropped ones is
  /// marked DISCONT if it is writable. For the streaming thread.
  bool drops(GstPad* sink, GstBuffer* frame, Executor& executor, const TakeBack& take_back);

  /// Evaluates QoS and LATENCY events from downstream.
  void heed(GstEvent* upstream);
  /// Discards the QoS state, after a flush or a new segment.
  void forget();

  uint64_t dropped() const { return dropped_; }

 private:
  bool is_late(GstClockTime running_time) const;
  void report(GstBuffer* frame, const GstSegment& segment);

  GstElement* const bin_;
  std::atomic<Policy> policy_{kBlock};
  std::atomic<gint64> max_lateness_ns_{-1};
  std::atomic<GstClockTime> earliest_{GST_CLOCK_TIME_NONE};  // running time of the sink's QoS
  std::atomic<GstClockTime> latency_{0};                     // of the pipeline
  std::atomic<uint64_t> dropped_{0};
  // Used by the streaming thread alone.
  uint64_t passed_ = 0;
  bool gap_ = false;           // frames were dropped since the last one that passed
  gint64 logged_us_ = 0;       // time of the last line in the log
  uint64_t logged_drops_ = 0;  // dropped frames up to that line
};

}  // namespace tandem::bin
