// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/input/source.h"

#include <gst/tandem/private/ref.h>

#include <utility>

#include "gst/util/framerate.h"
#include "pipelines/tandem/pipeline/pads.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {
namespace {

constexpr const char* kScaler = "scaler";
constexpr const char* kSize = "size";

CapsRef raw_caps(std::optional<Size> size) {
  CapsRef caps(gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "I420",
                                   "pixel-aspect-ratio", GST_TYPE_FRACTION, 1, 1, nullptr));
  if (size) {
    gst_caps_set_simple(caps.get(), "width", G_TYPE_INT, size->width, "height", G_TYPE_INT,
                        size->height, nullptr);
  }
  return caps;
}

ObjectRef<GstElement> child(GstElement* bin, const char* name) {
  return ObjectRef<GstElement>(gst_bin_get_by_name(GST_BIN(bin), name));
}

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

/// Where the caps that pass the sink pad `pad` state the rate of a clock (framerate.h), they state
/// none from here on. Durations that were computed from it are removed, and so are times. Call it
/// once, before the pad's streaming.
void drop_clock_rate(GstPad* pad) {
  add_probe(pad, kFrames | kEvents,
            [stream = StatedRate()](GstPad*, GstPadProbeInfo* info) mutable {
              return take_data(stream, info);
            });
}

// `late`: the producer's pad comes when it knows what the input holds.
GstElement* make_bin(GstElement* producer, bool late, std::optional<Size> size) {
  GstElement* bin = gst_bin_new("source");
  GstElement* queue = make_element("queue");
  GstElement* convert = make_element("videoconvert");
  GstElement* flip = make_element("videoflip");
  GstElement* scaler = make_element("videoscale", kScaler);
  GstElement* filter = make_element("capsfilter", kSize);
  // A few frames ahead keep the decoder's thread busy; more would only take memory.
  g_object_set(queue, "max-size-buffers", 4u, "max-size-bytes", 0u, "max-size-time", guint64{0},
               nullptr);
  g_object_set(filter, "caps", raw_caps(size).get(), nullptr);
  gst_util_set_object_arg(G_OBJECT(flip), "video-direction", "auto");
  gst_bin_add_many(GST_BIN(bin), producer, queue, convert, flip, scaler, filter, nullptr);
  gst_element_link_many(queue, convert, flip, scaler, filter, nullptr);
  const ObjectRef<GstPad> in(gst_element_get_static_pad(queue, "sink"));
  drop_clock_rate(in.get());
  if (late) {
    link_main_video(producer, queue);
  } else {
    gst_element_link(producer, queue);
  }
  const ObjectRef<GstPad> out(gst_element_get_static_pad(filter, "src"));
  gst_element_add_pad(bin, gst_ghost_pad_new("src", out.get()));
  return bin;
}

}  // namespace

GstElement* make_source(const std::string& uri, std::optional<Size> size) {
  GstElement* decoder = make_element("uridecodebin");
  const CapsRef video(gst_caps_from_string("video/x-raw(ANY)"));
  g_object_set(decoder, "uri", uri.c_str(), "caps", video.get(), nullptr);
  return make_bin(decoder, true, size);
}

GstElement* make_test_source(Size size) {
  GstElement* pattern = make_element("videotestsrc");
  // Rings that move: every part of the frame has structure and every frame differs.
  gst_util_set_object_arg(G_OBJECT(pattern), "pattern", "zone-plate");
  g_object_set(pattern, "kx2", 20, "ky2", 20, "kt", 3, nullptr);
  return make_bin(pattern, false, size);
}

void set_source_size(GstElement* source, Size size) {
  g_object_set(child(source, kSize).get(), "caps", raw_caps(size).get(), nullptr);
}

void watch_source(GstElement* source, std::function<bool(uint64_t)> before_frame) {
  const ObjectRef<GstElement> scaler = child(source, kScaler);
  const ObjectRef<GstPad> into(gst_element_get_static_pad(scaler.get(), "sink"));
  const ObjectRef<GstPad> pad(gst_pad_get_peer(into.get()));
  add_probe(pad.get(), kFrames | kEvents,
            [before_frame = std::move(before_frame), frames = uint64_t{0}, ended = false](
                GstPad* decoded, GstPadProbeInfo* info) mutable {
              if (ended) return GST_PAD_PROBE_DROP;
              if (!is_frame(info) || before_frame(frames++)) return GST_PAD_PROBE_OK;
              ended = true;
              end_stream_behind(decoded);
              return GST_PAD_PROBE_DROP;
            });
}

void end_stream_behind(GstPad* pad) {
  const ObjectRef<GstPad> peer(gst_pad_get_peer(pad));
  gst_pad_send_event(peer.get(), gst_event_new_eos());
}

}  // namespace tandem
