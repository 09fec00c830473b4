// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/ref.h>

#include <utility>

#include "gst/util/framerate.h"
#include "pipelines/tandem/input/source.h"
#include "pipelines/tandem/pipeline/pads.h"

namespace tandem {
namespace {

// Of the streaming thread.
struct StatedRate {
  bool of_clock = false;  // what the caps state is no rate of frames
  GstClockTime latest_ns = GST_CLOCK_TIME_NONE;
};

void take_rate_of_clock(StatedRate& stream, GstPadProbeInfo* info, GstCaps* caps) {
  int n = 0, d = 1;
  gst_structure_get_fraction(gst_caps_get_structure(caps, 0), "framerate", &n, &d);
  stream.of_clock = n > 0 && gst_util_uint64_scale(GST_SECOND, static_cast<guint64>(d),
                                                   static_cast<guint64>(n)) < kShortestInterval_ns;
  if (!stream.of_clock) return;
  const CapsRef changed(gst_caps_copy(caps));
  gst_caps_set_simple(changed.get(), "framerate", GST_TYPE_FRACTION, 0, 1, nullptr);
  gst_event_unref(GST_PAD_PROBE_INFO_EVENT(info));
  GST_PAD_PROBE_INFO_DATA(info) = gst_event_new_caps(changed.get());
}

// A decoder may keep the rate of the clock to itself and compute durations from it.
void drop_duration_of_clock(GstPadProbeInfo* info) {
  const GstClockTime duration_ns = GST_BUFFER_DURATION(GST_PAD_PROBE_INFO_BUFFER(info));
  if (duration_ns >= kShortestInterval_ns) return;  // or none
  GstBuffer* const frame = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_BUFFER_DURATION(frame) = GST_CLOCK_TIME_NONE;
  GST_PAD_PROBE_INFO_DATA(info) = frame;
}

void drop_computed_time(StatedRate& stream, GstPadProbeInfo* info) {
  const GstClockTime now_ns = GST_BUFFER_PTS(GST_PAD_PROBE_INFO_BUFFER(info));
  const GstClockTime before_ns = std::exchange(stream.latest_ns, now_ns);
  if (!GST_CLOCK_TIME_IS_VALID(now_ns) || !GST_CLOCK_TIME_IS_VALID(before_ns)) return;
  if (now_ns < before_ns || now_ns - before_ns >= kShortestInterval_ns) return;
  GstBuffer* const frame = gst_buffer_make_writable(GST_PAD_PROBE_INFO_BUFFER(info));
  GST_BUFFER_PTS(frame) = GST_CLOCK_TIME_NONE;
  GST_PAD_PROBE_INFO_DATA(info) = frame;
}

GstPadProbeReturn take_data(StatedRate& stream, GstPadProbeInfo* info) {
  if (is_frame(info)) {
    drop_duration_of_clock(info);
    if (stream.of_clock) drop_computed_time(stream, info);
    return GST_PAD_PROBE_OK;
  }
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) == GST_EVENT_SEGMENT)
    stream.latest_ns = GST_CLOCK_TIME_NONE;
  if (GstCaps* caps = caps_in(info)) take_rate_of_clock(stream, info, caps);
  return GST_PAD_PROBE_OK;
}

}  // namespace

void drop_clock_rate(GstPad* pad) {
  add_probe(pad, kFrames | kEvents,
            [stream = StatedRate()](GstPad*, GstPadProbeInfo* info) mutable {
              return take_data(stream, info);
            });
}

}  // namespace tandem
