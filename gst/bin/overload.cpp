// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/overload.h"

#include <algorithm>
#include <utility>

#include "gst/bin/eventqueue.h"

GST_DEBUG_CATEGORY_EXTERN(tandem_bin_debug);
#define GST_CAT_DEFAULT tandem_bin_debug

namespace tandem::bin {
namespace {

// One frame waits, so that a thread that ends finds work.
constexpr int kMostWaiting = 1;
// Factor on the delay that a sink reports, so that the next frame is in time (as GstVideoDecoder).
constexpr GstClockTimeDiff kCatchUp = 2;
// A frame that is dropped has no quality left, in the millionths of QoS messages.
constexpr gint kQuality = 1'000'000;

// From 0 on. The end of all times where the sum would overflow.
GstClockTime later(GstClockTime time, GstClockTimeDiff by) {
  const auto at = static_cast<GstClockTimeDiff>(std::min<GstClockTime>(time, G_MAXINT64));
  if (by > G_MAXINT64 - at) return G_MAXINT64;
  return static_cast<GstClockTime>(std::max<GstClockTimeDiff>(at + by, 0));
}

GstClockTime running_time(const GstBuffer* frame, const GstSegment& segment) {
  if (segment.format != GST_FORMAT_TIME || !GST_BUFFER_PTS_IS_VALID(frame))
    return GST_CLOCK_TIME_NONE;
  return gst_segment_to_running_time(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(frame));
}

}  // namespace

void Overload::set(Policy policy, gint64 max_lateness_ns) {
  policy_ = policy;
  max_lateness_ns_ = max_lateness_ns;
}

bool Overload::drops(GstPad* sink, GstBuffer* frame, Executor& executor,
                     const TakeBack& take_back) {
  if (policy_ == kBlock) {
    ++passed_;
    return false;
  }
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_UNDEFINED);
  const EventRef event(gst_pad_get_sticky_event(sink, GST_EVENT_SEGMENT, 0));
  if (event) gst_event_copy_segment(event.get(), &segment);
  bool passes = !is_late(running_time(frame, segment));
  if (passes && executor.has_waiting(kMostWaiting)) {
    const BufferRef older(take_back());
    passes = older || !executor.has_waiting(kMostWaiting);  // what waited has begun meanwhile
    if (older) {
      --passed_;
      report(older.get(), segment);
    }
  }
  if (!passes) {
    report(frame, segment);
    return true;
  }
  ++passed_;
  if (std::exchange(gap_, false) && gst_buffer_is_writable(frame))
    GST_BUFFER_FLAG_SET(frame, GST_BUFFER_FLAG_DISCONT);
  return false;
}

bool Overload::is_late(GstClockTime running_time) const {
  if (!GST_CLOCK_TIME_IS_VALID(running_time)) return false;
  const GstClockTime earliest = earliest_;
  if (GST_CLOCK_TIME_IS_VALID(earliest) && running_time < earliest) return true;
  const gint64 max_lateness_ns = max_lateness_ns_;
  if (max_lateness_ns < 0) return false;
  const ObjectRef<GstClock> clock(gst_element_get_clock(bin_));
  if (!clock) return false;
  const GstClockTime now = gst_clock_get_time(clock.get()), base = gst_element_get_base_time(bin_);
  return now > base && now - base > later(running_time + latency_, max_lateness_ns);
}

void Overload::report(GstBuffer* frame, const GstSegment& segment) {
  ++dropped_;
  gap_ = true;
  const GstClockTime running = running_time(frame, segment);
  const bool timed = GST_CLOCK_TIME_IS_VALID(running);
  const GstClockTime stream_time =
      timed ? gst_segment_to_stream_time(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(frame))
            : GST_CLOCK_TIME_NONE;
  const GstClockTime earliest = earliest_;
  const GstClockTimeDiff jitter =
      timed && GST_CLOCK_TIME_IS_VALID(earliest) ? GST_CLOCK_DIFF(running, earliest) : 0;
  GstMessage* message = gst_message_new_qos(GST_OBJECT_CAST(bin_), TRUE, running, stream_time,
                                            GST_BUFFER_PTS(frame), GST_BUFFER_DURATION(frame));
  gst_message_set_qos_values(message, jitter, 1.0, kQuality);
  gst_message_set_qos_stats(message, GST_FORMAT_BUFFERS, passed_, dropped_);
  gst_element_post_message(bin_, message);
  const gint64 now_us = g_get_monotonic_time();
  if (now_us - logged_us_ < G_USEC_PER_SEC) return;
  GST_WARNING_OBJECT(bin_,
                     "the source is faster than the stages: dropped %" G_GUINT64_FORMAT
                     " frames since the last such warning, %" G_GUINT64_FORMAT " in total",
                     dropped_ - logged_drops_, dropped_.load());
  logged_us_ = now_us;
  logged_drops_ = dropped_;
}

void Overload::heed(GstEvent* upstream) {
  if (GST_EVENT_TYPE(upstream) == GST_EVENT_LATENCY) {
    GstClockTime latency = 0;
    gst_event_parse_latency(upstream, &latency);
    latency_ = latency;
  } else if (GST_EVENT_TYPE(upstream) == GST_EVENT_QOS) {
    GstClockTimeDiff diff = 0;
    GstClockTime running_time = GST_CLOCK_TIME_NONE;
    gst_event_parse_qos(upstream, nullptr, nullptr, &diff, &running_time);
    if (!GST_CLOCK_TIME_IS_VALID(running_time)) return;
    const bool late = diff > 0;
    earliest_ = later(running_time, late ? kCatchUp * std::min(diff, G_MAXINT64 / kCatchUp) : diff);
  }
}

void Overload::forget() { earliest_ = GST_CLOCK_TIME_NONE; }

}  // namespace tandem::bin
