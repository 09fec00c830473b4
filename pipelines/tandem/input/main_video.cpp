// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/ref.h>

#include <compare>
#include <cstdint>
#include <string_view>

#include "pipelines/tandem/input/source.h"
#include "pipelines/tandem/pipeline/glib_owned.h"
#include "pipelines/tandem/pipeline/pads.h"

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

// Streams that are not decoded are exposed nevertheless: decodebin would wait for ever for the end
// of those that it hides, before it goes on to a programme that begins in mid-stream.
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

}  // namespace

void link_main_video(GstElement* decoder, GstElement* first) {
  g_signal_connect(decoder, "autoplug-continue", G_CALLBACK(decodes), nullptr);
  g_signal_connect(decoder, "unknown-type", G_CALLBACK(on_unknown_type), nullptr);
  g_signal_connect(decoder, "pad-added", G_CALLBACK(link_if_better), first);
  g_signal_connect(decoder, "no-more-pads", G_CALLBACK(on_all_streams), first);
}

}  // namespace tandem
