// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/pipelines/support/decoded.h"

#include <gst/gst.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <mutex>

#include "tests/pipelines/support/command.h"

namespace tandem::test {
namespace {

struct Collection {
  std::mutex mutex;  // streams have threads of their own
  Decoded decoded;
};

// The edge at which the luma of a frame is the least.
std::string dark_edge(const GstVideoInfo& info, GstBuffer* buffer) {
  GstVideoFrame frame;
  if (!gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ)) return "";
  const auto* luma = static_cast<const uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&frame, 0));
  const int stride = GST_VIDEO_FRAME_COMP_STRIDE(&frame, 0);
  const int step = GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, 0);
  const int width = info.width, height = info.height;
  const auto at = [&](int x, int y) { return int{luma[y * stride + x * step]}; };
  const std::pair<int, const char*> edges[] = {{at(width / 2, 1), "top"},
                                               {at(width - 2, height / 2), "right"},
                                               {at(width / 2, height - 2), "bottom"},
                                               {at(1, height / 2), "left"}};
  gst_video_frame_unmap(&frame);
  return std::ranges::min(edges).second;
}

GstPadProbeReturn add_frame(GstPad* pad, GstPadProbeInfo* info, gpointer data) {
  const CapsRef caps(gst_pad_get_current_caps(pad));
  GstVideoInfo video;
  GstSegment segment;
  GstEvent* const event = gst_pad_get_sticky_event(pad, GST_EVENT_SEGMENT, 0);
  gst_event_copy_segment(event, &segment);
  gst_event_unref(event);
  GstBuffer* const buffer = GST_PAD_PROBE_INFO_BUFFER(info);
  EXPECT_TRUE(caps && gst_video_info_from_caps(&video, caps.get()));
  auto& [mutex, decoded] = *static_cast<Collection*>(data);
  const std::scoped_lock lock(mutex);
  if (decoded.times_ns.empty()) decoded.dark_edge = dark_edge(video, buffer);
  ++decoded.frames[std::to_string(video.width) + "x" + std::to_string(video.height)];
  decoded.times_ns.push_back(
      gst_segment_to_running_time(&segment, GST_FORMAT_TIME, GST_BUFFER_PTS(buffer)));
  return GST_PAD_PROBE_OK;
}

constexpr char kSink[] = "sink of this pad";

// Each stream has a sink of its own; those that are no video are read as well.
void add_sink(GstElement* decoder, GstPad* pad, gpointer collection) {
  const ObjectRef<GstObject> pipeline(gst_object_get_parent(GST_OBJECT(decoder)));
  GstElement* const sink = gst_element_factory_make("fakesink", nullptr);
  // Without a preroll: it would wait for streams that begin late.
  g_object_set(sink, "sync", FALSE, "async", FALSE, nullptr);
  gst_bin_add(GST_BIN(pipeline.get()), sink);
  g_object_set_data(G_OBJECT(pad), kSink, sink);
  const ObjectRef<GstPad> to(gst_element_get_static_pad(sink, "sink"));
  const CapsRef caps(gst_pad_get_current_caps(pad));
  if (caps && gst_structure_has_name(gst_caps_get_structure(caps.get(), 0), "video/x-raw"))
    gst_pad_add_probe(to.get(), GST_PAD_PROBE_TYPE_BUFFER, add_frame, collection, nullptr);
  gst_element_sync_state_with_parent(sink);
  gst_pad_link(pad, to.get());
}

// A stream that ends before the file leaves without an EOS.
void remove_sink(GstElement* decoder, GstPad* pad, gpointer) {
  auto* const sink = static_cast<GstElement*>(g_object_get_data(G_OBJECT(pad), kSink));
  const ObjectRef<GstObject> pipeline(gst_object_get_parent(GST_OBJECT(decoder)));
  if (!sink || !pipeline) return;
  gst_element_set_state(sink, GST_STATE_NULL);
  gst_bin_remove(GST_BIN(pipeline.get()), sink);
}

}  // namespace

std::vector<std::string> Decoded::sizes() const {
  std::vector<std::string> all;
  for (const auto& [size, count] : frames) all.push_back(size);
  return all;
}

Decoded decode_uri(const std::string& uri) {
  Collection collection;
  const ObjectRef<GstElement> pipeline(GST_ELEMENT(gst_object_ref_sink(gst_pipeline_new("plain"))));
  GstElement* const decoder = gst_element_factory_make("uridecodebin", nullptr);
  g_object_set(decoder, "uri", uri.c_str(), nullptr);
  g_signal_connect(decoder, "pad-added", G_CALLBACK(add_sink), &collection);
  g_signal_connect(decoder, "pad-removed", G_CALLBACK(remove_sink), nullptr);
  gst_bin_add(GST_BIN(pipeline.get()), decoder);
  play_to_end(pipeline.get());
  return collection.decoded;
}

Decoded decode_file(const std::string& path) {
  gchar* const uri = gst_filename_to_uri(path.c_str(), nullptr);
  const std::string text = uri;
  g_free(uri);
  return decode_uri(text);
}

}  // namespace tandem::test
