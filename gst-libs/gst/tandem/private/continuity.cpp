// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/continuity.h>

#include <utility>

namespace tandem {
namespace {

const GstSegment& segment_of(GstEvent* event) {
  const GstSegment* segment = nullptr;
  gst_event_parse_segment(event, &segment);
  return *segment;
}

// Both rates are equal, so that times which agree at one position agree at all.
bool goes_on(const GstSegment& before, const GstSegment& now) {
  if (before.format != now.format || before.rate != now.rate ||
      before.applied_rate != now.applied_rate)
    return false;
  if (!GST_CLOCK_TIME_IS_VALID(now.start)) return gst_segment_is_equal(&before, &now);
  const auto same = [&](auto* convert) {
    guint64 time_before = 0, time_now = 0;
    const gint sign = convert(&before, before.format, now.start, &time_before);
    return sign != 0 && sign == convert(&now, now.format, now.start, &time_now) &&
           time_before == time_now;
  };
  return same(gst_segment_to_running_time_full) && same(gst_segment_to_stream_time_full);
}

MiniObjectRef<GstCaps> without_rate(const GstCaps* caps) {
  MiniObjectRef<GstCaps> copy(gst_caps_copy(caps));
  for (guint i = 0; i < gst_caps_get_size(copy.get()); ++i)
    gst_structure_remove_fields(gst_caps_get_structure(copy.get(), i), "framerate", "max-framerate",
                                nullptr);
  return copy;
}

}  // namespace

bool same_frames(const GstCaps* before, const GstCaps* now) {
  return gst_caps_is_equal(without_rate(before).get(), without_rate(now).get());
}

bool Continuity::broken_by(GstEvent* event) {
  switch (GST_EVENT_TYPE(event)) {
    case GST_EVENT_STREAM_START:
    case GST_EVENT_FLUSH_STOP:
      return true;
    case GST_EVENT_CAPS: {
      GstCaps* caps = nullptr;
      gst_event_parse_caps(event, &caps);
      const CapsKept before = std::exchange(caps_, CapsKept(gst_caps_ref(caps)));
      return !before || !same_frames(before.get(), caps);
    }
    case GST_EVENT_SEGMENT: {
      const EventKept before = std::exchange(segment_, EventKept(gst_event_ref(event)));
      return !before || !goes_on(segment_of(before.get()), segment_of(event));
    }
    default:
      return false;
  }
}

}  // namespace tandem
