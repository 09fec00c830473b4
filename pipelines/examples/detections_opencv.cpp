// SPDX-License-Identifier: LGPL-2.1-or-later
// A program of yours that has each frame as cv::Mat, without a copy, and the boxes in it as
// cv::Rect: it prints the mean colour of what was found.
//
//   detections_opencv VIDEO
//
// Build it alone with:
//   flags="$(pkg-config --cflags --libs gstreamer-app-1.0 gstreamer-video-1.0)"
//   flags="$flags $(pkg-config --cflags opencv4) -lopencv_core"
//   g++ -std=c++20 detections_opencv.cpp -o detections_opencv $flags
#include <gst/app/gstappsink.h>
#include <gst/video/video.h>

#include <cstdio>
#include <memory>
#include <opencv2/core.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

/// A frame of format BGR, mapped for as long as this lives.
class MappedFrame {
 public:
  explicit MappedFrame(GstSample* sample) {
    GstVideoInfo info;
    if (!gst_video_info_from_caps(&info, gst_sample_get_caps(sample)) ||
        !gst_video_frame_map(&frame_, &info, gst_sample_get_buffer(sample), GST_MAP_READ))
      throw std::runtime_error("a frame cannot be mapped");
  }
  ~MappedFrame() { gst_video_frame_unmap(&frame_); }
  MappedFrame(const MappedFrame&) = delete;
  MappedFrame& operator=(const MappedFrame&) = delete;

  // The pixels stay GStreamer's: they may be read, not written.
  cv::Mat image() const {
    return {GST_VIDEO_FRAME_HEIGHT(&frame_), GST_VIDEO_FRAME_WIDTH(&frame_), CV_8UC3,
            GST_VIDEO_FRAME_PLANE_DATA(&frame_, 0),
            static_cast<std::size_t>(GST_VIDEO_FRAME_PLANE_STRIDE(&frame_, 0))};
  }

 private:
  GstVideoFrame frame_;
};

struct Unref {
  void operator()(GstSample* sample) const { gst_sample_unref(sample); }
};
using Sample = std::unique_ptr<GstSample, Unref>;

std::vector<cv::Rect> boxes(GstBuffer* frame) {
  std::vector<cv::Rect> found;
  gpointer state = nullptr;
  while (GstMeta* meta = gst_buffer_iterate_meta_filtered(
             frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* region = reinterpret_cast<GstVideoRegionOfInterestMeta*>(meta);
    found.emplace_back(static_cast<int>(region->x), static_cast<int>(region->y),
                       static_cast<int>(region->w), static_cast<int>(region->h));
  }
  return found;
}

void print_colors(GstSample* sample) {
  const MappedFrame mapped(sample);
  const cv::Mat image = mapped.image();
  GstBuffer* buffer = gst_sample_get_buffer(sample);
  for (cv::Rect box : boxes(buffer)) {
    box &= cv::Rect({}, image.size());  // any element may have attached it
    if (box.empty()) continue;
    const cv::Scalar mean = cv::mean(image(box));
    std::printf("%.3f s: at %d,%d, %dx%d pixels, red %.0f green %.0f blue %.0f\n",
                static_cast<double>(GST_BUFFER_PTS(buffer)) / GST_SECOND, box.x, box.y, box.width,
                box.height, mean[2], mean[1], mean[0]);
  }
}

// The error that broke the stream; empty: there was none.
std::string error_of(GstElement* pipeline) {
  GstBus* bus = gst_element_get_bus(pipeline);
  std::string why;
  if (GstMessage* message = gst_bus_pop_filtered(bus, GST_MESSAGE_ERROR)) {
    GError* error = nullptr;
    gst_message_parse_error(message, &error, nullptr);
    why = error->message;
    g_error_free(error);
    gst_message_unref(message);
  }
  gst_object_unref(bus);
  return why;
}

std::string play(const char* video) {
  GError* error = nullptr;
  // The conversion to BGR keeps the regions of interest.
  GstElement* pipeline = gst_parse_launch(
      "filesrc name=video ! decodebin ! videoconvert ! video/x-raw,format=I420 ! "
      "tandembin.( vividfilter ! vividhistogram ! vividclassifier ) ! "
      "videoconvert ! video/x-raw,format=BGR ! appsink name=frames sync=false max-buffers=8",
      &error);
  if (error) {
    std::string why = error->message;
    g_error_free(error);
    gst_clear_object(&pipeline);
    return why;
  }
  GstElement* source = gst_bin_get_by_name(GST_BIN(pipeline), "video");
  g_object_set(source, "location", video, nullptr);
  GstElement* sink = gst_bin_get_by_name(GST_BIN(pipeline), "frames");
  std::string why;
  if (gst_element_set_state(pipeline, GST_STATE_PLAYING) != GST_STATE_CHANGE_FAILURE) {
    try {
      while (const Sample sample{gst_app_sink_pull_sample(GST_APP_SINK(sink))})
        print_colors(sample.get());
    } catch (const std::exception& e) {
      why = e.what();
    }
  }
  if (why.empty()) why = error_of(pipeline);
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(sink);
  gst_object_unref(source);
  gst_object_unref(pipeline);
  return why;
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  if (argc != 2) {
    std::fprintf(stderr, "usage: detections_opencv VIDEO\n");
    return 2;
  }
  const std::string why = play(argv[1]);
  if (!why.empty()) std::fprintf(stderr, "detections_opencv: %s\n", why.c_str());
  return why.empty() ? 0 : 1;
}
