// SPDX-License-Identifier: LGPL-2.1-or-later
// What a serialized event before each frame costs a stream through tandembin, as a tracer, closed
// captions or timecodes send one. Both streams are taken in turn in one run; the best of each.
#include <gst/gst.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

constexpr int kFrames = 120, kRounds = 7;

GstPadProbeReturn send_event(GstPad* pad, GstPadProbeInfo*, gpointer) {
  gst_pad_push_event(
      pad, gst_event_new_custom(GST_EVENT_CUSTOM_DOWNSTREAM, gst_structure_new_empty("mark")));
  return GST_PAD_PROBE_OK;
}

double play_s(const std::string& properties, bool with_events) {
  const std::string line =
      "videotestsrc pattern=snow num-buffers=" + std::to_string(kFrames) +
      " ! video/x-raw,format=GRAY8,width=600,height=416 ! identity name=before ! tandembin.( "
      "knowledge=off adapt=off " +
      properties +
      " vividfilter ! vividhistogram ! vividclassifier ) ! fakesink name=sink sync=false";
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(line.c_str(), &error);
  if (error) {
    std::fprintf(stderr, "%s\n", error->message);
    std::exit(1);
  }
  if (with_events) {
    GstElement* before = gst_bin_get_by_name(GST_BIN(pipeline), "before");
    GstPad* pad = gst_element_get_static_pad(before, "src");
    gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, send_event, nullptr, nullptr);
    gst_object_unref(pad);
    gst_object_unref(before);
  }
  const auto start = std::chrono::steady_clock::now();
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  GstBus* bus = gst_element_get_bus(pipeline);
  gst_message_unref(gst_bus_timed_pop_filtered(
      bus, GST_CLOCK_TIME_NONE, static_cast<GstMessageType>(GST_MESSAGE_EOS | GST_MESSAGE_ERROR)));
  const auto end = std::chrono::steady_clock::now();
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(bus);
  gst_object_unref(pipeline);
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace

// Arguments: properties of the bin, `threads=2` without.
int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const std::string properties = argc > 1 ? argv[1] : "threads=2";
  double without_s = 1e9, with_s = 1e9;
  for (int round = 0; round < kRounds; ++round) {
    without_s = std::min(without_s, play_s(properties, false));
    with_s = std::min(with_s, play_s(properties, true));
  }
  std::printf(
      "%d frames of ViVid at 600x416, %s: %.3f s; with an event before each: %.3f s (%.2f)\n",
      kFrames, properties.c_str(), without_s, with_s, with_s / without_s);
}
