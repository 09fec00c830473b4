// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>

#include <utility>

namespace tandem {

using SampleRef = MiniObjectRef<GstSample>;

/// Types of probes, to be combined with `|`.
inline constexpr int kFrames = GST_PAD_PROBE_TYPE_BUFFER,
                     kEvents = GST_PAD_PROBE_TYPE_EVENT_DOWNSTREAM;

/// Calls `take(pad, info)`, which returns a GstPadProbeReturn, in the streaming thread. It lives as
/// long as the probe.
template <typename Take>
void add_probe(GstPad* pad, int types, Take take) {
  const GstPadProbeCallback call = [](GstPad* from, GstPadProbeInfo* info, gpointer data) {
    return (*static_cast<Take*>(data))(from, info);
  };
  gst_pad_add_probe(pad, static_cast<GstPadProbeType>(types), call, new Take(std::move(take)),
                    [](gpointer data) { delete static_cast<Take*>(data); });
}

inline bool is_frame(const GstPadProbeInfo* info) { return (info->type & kFrames) != 0; }

/// The caps of an event that brings some; null for a frame or another event. The event keeps them.
inline GstCaps* caps_in(GstPadProbeInfo* info) {
  GstCaps* caps = nullptr;
  if (is_frame(info)) return nullptr;
  GstEvent* const event = GST_PAD_PROBE_INFO_EVENT(info);
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) gst_event_parse_caps(event, &caps);
  return caps;
}

/// The segment that holds on `pad` now; one of times from 0 on before there is any.
inline GstSegment segment_of(GstPad* pad) {
  GstSegment segment;
  gst_segment_init(&segment, GST_FORMAT_TIME);
  if (GstEvent* event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0)) {
    gst_event_copy_segment(event, &segment);
    gst_event_unref(event);
  }
  return segment;
}

}  // namespace tandem
