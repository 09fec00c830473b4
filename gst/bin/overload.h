// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>

#include <atomic>
#include <cstdint>
#include <functional>

#include "scheduler/flow/executor.h"

namespace tandem::bin {

/// Which frames a bin drops whose source is faster than its stages, as live sources are.
///
/// With `overload=block` none: upstream waits. With `drop` the streaming thread never waits: a
/// frame that comes while another one waits for its turn takes that one's place, so the newest goes
/// on. The frame itself is dropped while the sink holds frames up, or if an event came between the
/// two. Two kinds of frames that would be late are dropped as well: those that the sink's QoS
/// events say would be (as GstVideoDecoder drops them), and those that come later than
/// `max-lateness` behind their time to be shown.
///
/// Each dropped frame is a QoS message, and the log has a line a second at most.
class Overload {
 public:
  enum Policy { kBlock, kDrop };

  explicit Overload(GstElement* bin) : bin_(bin) {}

  void set(Policy policy, gint64 max_lateness_ns);

  /// Takes back the frame that waits for its turn, and gives it away; null: it cannot.
  using TakeBack = std::function<GstBuffer*()>;

  /// For the streaming thread, with a frame that `sink` was given: whether it is to be dropped. A
  /// frame that is not, after some that were, is marked DISCONT if it can be written to.
  bool drops(GstPad* sink, GstBuffer* frame, Executor& executor, const TakeBack& take_back);

  /// A QoS event of the sink, or the latency that the pipeline has from now on.
  void heed(GstEvent* upstream);
  /// What QoS events said is of times that no frame has any more: after a flush or a new segment.
  void forget();

  uint64_t dropped() const { return dropped_; }

 private:
  bool is_late(GstClockTime running_time) const;
  void tell(GstBuffer* frame, const GstSegment& segment);

  GstElement* const bin_;
  std::atomic<Policy> policy_{kBlock};
  std::atomic<gint64> max_lateness_ns_{-1};
  std::atomic<GstClockTime> earliest_{GST_CLOCK_TIME_NONE};  // running time, as the sink says
  std::atomic<GstClockTime> latency_{0};                     // of the pipeline
  std::atomic<uint64_t> dropped_{0};
  uint64_t passed_ = 0;        // the streaming thread's, as is what follows
  bool gap_ = false;           // frames were dropped since one passed
  gint64 logged_us_ = 0;       // when the log had a line
  uint64_t logged_drops_ = 0;  // of which it told
};

}  // namespace tandem::bin
