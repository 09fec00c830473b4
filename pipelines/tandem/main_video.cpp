// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/main_video.h"

#include <compare>
#include <cstdint>

#include "gst/util/ref.h"

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

// A demuxer's streams are all added before one of their frames passes.
void link_if_better(GstElement*, GstPad* pad, GstElement* first) {
  const ObjectRef<GstPad> sink(gst_element_get_static_pad(first, "sink"));
  const ObjectRef<GstPad> linked(gst_pad_get_peer(sink.get()));
  if (linked && rank_of(pad) <= rank_of(linked.get())) return;
  if (linked) gst_pad_unlink(linked.get(), sink.get());
  gst_pad_link(pad, sink.get());
}

void fail_without_video(GstElement* producer, GstElement* first) {
  const ObjectRef<GstPad> sink(gst_element_get_static_pad(first, "sink"));
  if (gst_pad_is_linked(sink.get())) return;
  GST_ELEMENT_ERROR(producer, STREAM, WRONG_TYPE, ("The input has no video."), (nullptr));
}

}  // namespace

void link_main_video(GstElement* producer, GstElement* first) {
  g_signal_connect(producer, "pad-added", G_CALLBACK(link_if_better), first);
  g_signal_connect(producer, "no-more-pads", G_CALLBACK(fail_without_video), first);
}

}  // namespace tandem
