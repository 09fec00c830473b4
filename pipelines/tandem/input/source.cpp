// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/input/source.h"

#include <gst/tandem/private/ref.h>

#include <compare>
#include <cstdint>
#include <string_view>
#include <utility>

#include "gst/util/framerate.h"
#include "pipelines/tandem/pipeline/glib_owned.h"
#include "pipelines/tandem/pipeline/pads.h"
#include "pipelines/tandem/pipeline/tandembin.h"

namespace tandem {
namespace {

// The first field that differs decides; more is better.
struct Rank {
  bool is_enabled;  // the file does not say that players pass it over
  int motion;       // 0: at most a frame a second, as previews; 1: no rate is stated; 2: faster
  bool is_chosen;   // by the file
  int64_t area;     // pixels
  auto operator<=>(const Rank&) const = default;
};

Rank rank_of(GstPad* pad) {
  Rank rank{true, 1, false, 0};
  if (const ObjectRef<GstStream> stream(gst_pad_get_stream(pad)); stream) {
    const int flags = gst_stream_get_stream_flags(stream.get());
    rank.is_enabled = (flags & (int{GST_STREAM_FLAG_SPARSE} | int{GST_STREAM_FLAG_UNSELECT})) == 0;
    rank.is_chosen = (flags & int{GST_STREAM_FLAG_SELECT}) != 0;
  }
  const CapsRef caps(gst_pad_get_current_caps(pad));
  if (!caps) return rank;
  const GstStructure* fields = gst_caps_get_structure(caps.get(), 0);
  int width = 0, height = 0, rate_n = 0, rate_d = 1;
  gst_structure_get_int(fields, "width", &width);
  gst_structure_get_int(fields, "height", &height);
  gst_structure_get_fraction(fields, "framerate", &rate_n, &rate_d);
  rank.area = int64_t{width} * height;
  if (rate_n > 0) rank.motion = rate_n > rate_d ? 2 : 0;
  return rank;
}

bool is_video(GstPad* pad) {
  const CapsRef current(gst_pad_get_current_caps(pad));
  const CapsRef caps(current ? gst_caps_ref(current.get()) : gst_pad_query_caps(pad, nullptr));
  if (gst_caps_is_empty(caps.get()) || gst_caps_is_any(caps.get())) return false;
  const std::string_view name = gst_structure_get_name(gst_caps_get_structure(caps.get(), 0));
  return name.starts_with("video/") || name.starts_with("image/");
}

// A pad with caps has had video, even if it is not linked now.
bool has_had_video(GstPad* sink) {
  return gst_pad_is_linked(sink) || gst_pad_has_current_caps(sink);
}

void fail_without_video(GstElement* decoder) {
  GST_ELEMENT_ERROR(decoder, STREAM, WRONG_TYPE, ("The input has no video."), (nullptr));
}

// The streams that are not analysed. Where the video is gone by the end, or never came, theirs is
// the end of the input.
GstPadProbeReturn pass_over(GstPad* pad, GstPadProbeInfo* info, GstElement* first) {
  if (is_frame(info)) return GST_PAD_PROBE_DROP;
  if (GST_EVENT_TYPE(GST_PAD_PROBE_INFO_EVENT(info)) != GST_EVENT_EOS) return GST_PAD_PROBE_OK;
  const ObjectRef<GstPad> sink(gst_element_get_static_pad(first, "sink"));
  const ObjectRef<GstElement> decoder(gst_pad_get_parent_element(pad));
  if (!has_had_video(sink.get()) && decoder)
    fail_without_video(decoder.get());
  else if (!gst_pad_is_linked(sink.get()))
    gst_pad_send_event(sink.get(), gst_event_new_eos());
  return GST_PAD_PROBE_OK;
}

void leave_out(GstPad* pad, GstElement* first) {
  add_probe(pad, kFrames | kEvents,
            [first](GstPad* from, GstPadProbeInfo* info) { return pass_over(from, info, first); });
}

// A demuxer's streams are all added before one of their frames passes.
void link_if_better(GstElement*, GstPad* pad, GstElement* first) {
  const ObjectRef<GstPad> sink(gst_element_get_static_pad(first, "sink"));
  const ObjectRef<GstPad> linked(gst_pad_get_peer(sink.get()));
  if (!is_video(pad) || (linked && rank_of(pad) <= rank_of(linked.get())))
    return leave_out(pad, first);
  if (linked) {
    gst_pad_unlink(linked.get(), sink.get());
    leave_out(linked.get(), first);
  }
  gst_pad_link(pad, sink.get());
}

// Ogg that begins with sound is audio/ogg, and MP4 may be audio/x-m4a: video may be in both.
bool is_container(GstCaps* caps) {
  GList* const demuxers =
      gst_element_factory_list_get_elements(GST_ELEMENT_FACTORY_TYPE_DEMUXER, GST_RANK_MARGINAL);
  GList* const fitting = gst_element_factory_list_filter(demuxers, caps, GST_PAD_SINK, FALSE);
  const bool any = fitting != nullptr;
  gst_plugin_feature_list_free(fitting);
  gst_plugin_feature_list_free(demuxers);
  return any;
}

// Streams that are not decoded are exposed nevertheless. decodebin would wait for ever for the end
// of hidden ones, before it goes on to a programme that begins in mid-stream.
gboolean decodes(GstElement*, GstPad*, GstCaps* caps, gpointer) {
  const std::string_view name = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  for (const std::string_view kind : {"audio/", "text/", "subpicture/", "closedcaption/", "meta/"})
    if (name.starts_with(kind)) return is_container(caps);
  return TRUE;
}

constexpr char kUndecodable[] = "tandem-undecodable-video";

// No decoder is installed for a stream with these caps.
void on_unknown_type(GstElement* decoder, GstPad*, GstCaps* caps, gpointer) {
  const std::string_view name = gst_structure_get_name(gst_caps_get_structure(caps, 0));
  if (name.starts_with("video/") || name.starts_with("image/"))
    g_object_set_data(G_OBJECT(decoder), kUndecodable, decoder);
}

// A file ends, and video may come until then: after a programme of sound alone, for example.
// Other inputs may have no end, and a file whose video has no decoder is not read to its own.
void on_all_streams(GstElement* decoder, GstElement* first) {
  const ObjectRef<GstPad> sink(gst_element_get_static_pad(first, "sink"));
  if (has_had_video(sink.get())) return;
  gchar* uri = nullptr;
  g_object_get(decoder, "uri", &uri, nullptr);
  const GlibString owned(uri);
  const bool is_file = uri && gst_uri_has_protocol(uri, "file");
  if (!is_file || g_object_get_data(G_OBJECT(decoder), kUndecodable)) fail_without_video(decoder);
}

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

// Belongs to the streaming thread.
struct StatedRate {
  bool of_clock = false;  // the caps state another rate than that of frames
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

void link_main_video(GstElement* decoder, GstElement* first) {
  g_signal_connect(decoder, "autoplug-continue", G_CALLBACK(decodes), nullptr);
  g_signal_connect(decoder, "unknown-type", G_CALLBACK(on_unknown_type), nullptr);
  g_signal_connect(decoder, "pad-added", G_CALLBACK(link_if_better), first);
  g_signal_connect(decoder, "no-more-pads", G_CALLBACK(on_all_streams), first);
}

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
