// SPDX-License-Identifier: LGPL-2.1-or-later
// A program of yours that reads what was found in each frame of a video: in a probe on the pad that
// frames leave tandembin by, or from an appsink.
//
//   detections probe|appsink VIDEO
//
// Build it alone with:
//   flags=$(pkg-config --cflags --libs gstreamer-app-1.0 gstreamer-video-1.0)
//   g++ -std=c++20 detections.cpp -o detections $flags
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

#include <cstdio>
#include <stdexcept>
#include <string>

namespace {

// One line for each detection of the frame. The strings belong to the frame.
void print_detections(GstBuffer* frame) {
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(
             frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    auto* region = reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta);
    const GstStructure* detection =
        gst_video_region_of_interest_meta_get_param(region, "detection");
    double confidence = 0;
    if (detection) gst_structure_get_double(detection, "confidence", &confidence);
    std::printf("%.3f s: %s %.2f at %u,%u, %ux%u pixels\n",
                static_cast<double>(GST_BUFFER_PTS(frame)) / GST_SECOND,
                g_quark_to_string(region->roi_type), confidence, region->x, region->y, region->w,
                region->h);
  }
}

GstElement* make_pipeline(const char* video, const char* sink) {
  const std::string line =
      "filesrc name=video ! decodebin ! videoconvert ! video/x-raw,format=I420 ! "
      "tandembin name=tandem stages=\"vividfilter ! vividhistogram ! vividclassifier\" ! " +
      std::string(sink);
  GError* error = nullptr;
  GstElement* pipeline = gst_parse_launch(line.c_str(), &error);
  if (error) {
    const std::string why = error->message;
    g_error_free(error);
    gst_clear_object(&pipeline);
    throw std::runtime_error(why);
  }
  GstElement* source = gst_bin_get_by_name(GST_BIN(pipeline), "video");
  g_object_set(source, "location", video, nullptr);
  gst_object_unref(source);
  return pipeline;
}

// Returns when the stream has ended; throws when it broke.
void wait_for_end(GstElement* pipeline) {
  GstBus* bus = gst_element_get_bus(pipeline);
  GstMessage* message = gst_bus_timed_pop_filtered(
      bus, GST_CLOCK_TIME_NONE,
      static_cast<GstMessageType>(int{GST_MESSAGE_EOS} | int{GST_MESSAGE_ERROR}));
  std::string why;
  if (GST_MESSAGE_TYPE(message) == GST_MESSAGE_ERROR) {
    GError* error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    why = error->message;
    g_error_free(error);
  }
  gst_message_unref(message);
  gst_object_unref(bus);
  if (!why.empty()) throw std::runtime_error(why);
}

// Called by the streaming thread for each frame: whatever takes long here holds the stream up.
GstPadProbeReturn on_frame(GstPad*, GstPadProbeInfo* info, gpointer) {
  print_detections(GST_PAD_PROBE_INFO_BUFFER(info));
  return GST_PAD_PROBE_OK;
}

void watch(GstElement* pipeline) {
  GstElement* tandem = gst_bin_get_by_name(GST_BIN(pipeline), "tandem");
  GstPad* pad = gst_element_get_static_pad(tandem, "src");
  gst_pad_add_probe(pad, GST_PAD_PROBE_TYPE_BUFFER, on_frame, nullptr, nullptr);
  gst_object_unref(pad);
  gst_object_unref(tandem);
}

// Frames wait in the sink until this thread takes them: eight at most, then the stream waits.
void pull(GstElement* pipeline) {
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "frames");
  while (GstSample* sample = gst_app_sink_pull_sample(GST_APP_SINK(sink))) {
    print_detections(gst_sample_get_buffer(sample));
    gst_sample_unref(sample);
  }
  gst_object_unref(sink);
}

void play(bool probe, const char* video) {
  GstElement* pipeline = make_pipeline(
      video, probe ? "fakesink sync=false" : "appsink name=frames sync=false max-buffers=8");
  if (probe) watch(pipeline);
  std::string error;
  try {
    // An appsink has no frame and never will when the pipeline does not start.
    if (gst_element_set_state(pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE && !probe)
      pull(pipeline);
    wait_for_end(pipeline);
  } catch (const std::exception& e) {
    error = e.what();
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(pipeline);
  if (!error.empty()) throw std::runtime_error(error);
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  const std::string way = argc == 3 ? argv[1] : "";
  if (way != "probe" && way != "appsink") {
    std::fprintf(stderr, "usage: detections probe|appsink VIDEO\n");
    return 2;
  }
  try {
    play(way == "probe", argv[2]);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "detections: %s\n", e.what());
    return 1;
  }
  return 0;
}
