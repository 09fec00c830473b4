// SPDX-License-Identifier: LGPL-2.1-or-later
// What drawing costs: frames with eight detections through tandemoverlay and through identity, by
// turns, in processor time, which other programs disturb least. Compare with the time that finding
// people takes (bin_bench).
#include <gst/check/gstharness.h>
#include <gst/video/gstvideometa.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

namespace {

constexpr int kFrames = 50, kRounds = 9, kPeople = 8;

// Each box has a confidence of its own, as detections do.
GstBuffer* make_frame(const GstVideoInfo& info, int number) {
  GstBuffer* frame = gst_buffer_new_allocate(nullptr, GST_VIDEO_INFO_SIZE(&info), nullptr);
  gst_buffer_memset(frame, 0, 100, GST_VIDEO_INFO_SIZE(&info));
  for (int i = 0; i < kPeople; ++i) {
    const auto width = static_cast<guint>(info.width), height = static_cast<guint>(info.height);
    auto* region = gst_buffer_add_video_region_of_interest_meta(
        frame, "person", i * width / kPeople, height / 4, width / 12, height / 3);
    gst_video_region_of_interest_meta_add_param(
        region, gst_structure_new("detection", "confidence", G_TYPE_DOUBLE,
                                  0.01 * ((number * kPeople + i) % 100), "label", G_TYPE_STRING,
                                  "person", nullptr));
  }
  return frame;
}

// Of this thread, in which the harness calls the elements.
double processor_time_us() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

// Microseconds a frame.
double time_element(GstHarness* harness, const std::vector<GstBuffer*>& frames) {
  std::vector<GstBuffer*> copies;
  for (int i = 0; i < kFrames; ++i)
    copies.push_back(gst_buffer_copy_deep(frames[i % frames.size()]));
  const double start_us = processor_time_us();
  for (GstBuffer*& copy : copies) {
    gst_harness_push(harness, copy);
    copy = gst_harness_pull(harness);
  }
  const double us = (processor_time_us() - start_us) / kFrames;
  for (GstBuffer* copy : copies) gst_buffer_unref(copy);
  return us;
}

void measure(const char* format, int width, int height) {
  const std::string caps = std::string("video/x-raw,format=") + format +
                           ",width=" + std::to_string(width) + ",height=" + std::to_string(height) +
                           ",framerate=30/1";
  GstVideoInfo info;
  gst_video_info_set_format(&info, gst_video_format_from_string(format), width, height);
  std::vector<GstBuffer*> frames;
  for (int i = 0; i < 16; ++i) frames.push_back(make_frame(info, i));
  GstHarness* harnesses[] = {gst_harness_new("identity"), gst_harness_new("tandemoverlay")};
  for (GstHarness* harness : harnesses) gst_harness_set_src_caps_str(harness, caps.c_str());
  std::vector<double> cost_us;
  for (int round = 0; round < kRounds; ++round) {
    double us[2];
    for (const int i : {round % 2, 1 - round % 2}) us[i] = time_element(harnesses[i], frames);
    cost_us.push_back(us[1] - us[0]);
  }
  std::sort(cost_us.begin(), cost_us.end());
  std::printf("%-5s %4dx%-4d %d boxes: %.1f us a frame (%.1f to %.1f)\n", format, width, height,
              kPeople, cost_us[kRounds / 2], cost_us.front(), cost_us.back());
  for (GstHarness* harness : harnesses) gst_harness_teardown(harness);
  for (GstBuffer* frame : frames) gst_buffer_unref(frame);
}

}  // namespace

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  for (const char* format : {"GRAY8", "I420", "NV12", "YUY2", "RGB", "BGRx"}) {
    measure(format, 600, 416);
    measure(format, 1920, 1080);
  }
  return 0;
}
