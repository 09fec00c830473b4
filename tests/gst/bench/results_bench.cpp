// SPDX-License-Identifier: LGPL-2.1-or-later
// What results cost: eight detections with ids, written to a frame in every form that this build
// has, read, and written as a line of JSON, beside finding people in that frame (ViVid on one core,
// 600x416). Both by turns, in the processor time of this process.
#include <gst/check/gstharness.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <string>
#include <vector>

#include "gst/json/framejson.h"
#include "gst/meta/analytics.h"
#include "gst/meta/region.h"
#include "gst/meta/results.h"

namespace tandem {
namespace {

constexpr int kRounds = 15, kFrames = 20, kRepetitions = 500, kPeople = 8;
constexpr FrameSize kSize{600, 416};

double processor_time_us() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e6 * static_cast<double>(time.tv_sec) + 1e-3 * static_cast<double>(time.tv_nsec);
}

template <typename F>
double time_us(int times, const F& work) {
  const double start_us = processor_time_us();
  for (int i = 0; i < times; ++i) work();
  return (processor_time_us() - start_us) / times;
}

void write_objects(GstBuffer* frame) {
  static const GQuark label = g_quark_from_static_string("person");
  mark_detected(frame);
  for (int i = 0; i < kPeople; ++i) {
    attach_region(frame,
                  {.label = label,
                   .confidence = 0.1 * i,
                   .x = 70.5 * i,
                   .y = 100.25,
                   .width = 50,
                   .height = 130},
                  kSize);
  }
}

void write_ids(GstBuffer* frame) {
  uint64_t id = 0;
  for (const FrameObject& object : read_results(frame, kSize).objects)
    set_object_id(frame, object, ++id, 0, GST_SECOND);
}

/// ViVid on the CPU without a bin: one thread.
class Detector {
 public:
  Detector()
      : harness_(gst_harness_new_parse(
            "vividfilter device=cpu ! vividhistogram device=cpu ! vividclassifier device=cpu")) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, GST_VIDEO_FORMAT_GRAY8, kSize.width, kSize.height);
    gst_harness_set_src_caps(harness_, gst_video_info_to_caps(&info));
    frame_ = gst_buffer_new_allocate(nullptr, info.size, nullptr);
    GstMapInfo map;
    gst_buffer_map(frame_, &map, GST_MAP_WRITE);
    for (gsize i = 0; i < map.size; ++i)
      map.data[i] = static_cast<guint8>(i / 7 * (i / kSize.width / 5) % 251);
    gst_buffer_unmap(frame_, &map);
  }
  ~Detector() {
    gst_buffer_unref(frame_);
    gst_harness_teardown(harness_);
  }
  Detector(const Detector&) = delete;
  Detector& operator=(const Detector&) = delete;

  void run() {
    gst_harness_push(harness_, gst_buffer_copy(frame_));
    gst_buffer_unref(gst_harness_pull(harness_));
  }

 private:
  GstHarness* const harness_;
  GstBuffer* frame_;
};

/// Each includes those before it, but for the detector.
struct Costs {
  double detector_us = 0, bare_us = 0, written_us = 0, with_ids_us = 0, with_json_us = 0;
};

Costs measure(Detector& detector) {
  const auto time_frames = [](const auto& work) {
    return time_us(kRepetitions, [&] { work(BufferRef(gst_buffer_new()).get()); });
  };
  Costs costs;
  costs.detector_us = time_us(kFrames, [&] { detector.run(); });
  costs.bare_us = time_frames([](GstBuffer*) {});
  costs.written_us = time_frames(write_objects);
  costs.with_ids_us = time_frames([](GstBuffer* frame) {
    write_objects(frame);
    write_ids(frame);
  });
  costs.with_json_us = time_frames([](GstBuffer* frame) {
    write_objects(frame);
    write_ids(frame);
    frame_json_line(frame, {"", 0, kSize, 0});
  });
  return costs;
}

void print(const char* what, std::vector<double> us, double of_us) {
  std::sort(us.begin(), us.end());
  const double median_us = us[us.size() / 2];
  std::printf("%-62s %9.1f us a frame (%.1f to %.1f), %.2f%%\n", what, median_us, us.front(),
              us.back(), 100 * median_us / of_us);
}

int run() {
  Detector detector;
  measure(detector);  // caches, programs and pools
  std::vector<double> detector_us, written_us, ids_us, json_us, all_us;
  for (int round = 0; round < kRounds; ++round) {
    const Costs costs = measure(detector);
    detector_us.push_back(costs.detector_us);
    written_us.push_back(costs.written_us - costs.bare_us);
    ids_us.push_back(costs.with_ids_us - costs.written_us);
    json_us.push_back(costs.with_json_us - costs.with_ids_us);
    all_us.push_back(costs.with_json_us - costs.bare_us);
  }
  const BufferRef frame(gst_buffer_new());
  write_objects(frame.get());
  std::vector<double> sorted = detector_us;
  std::sort(sorted.begin(), sorted.end());
  const double of_us = sorted[sorted.size() / 2];
  print("ViVid 600x416, one core", detector_us, of_us);
  print(analytics::is_on(frame.get())
            ? "8 objects: regions, GstTandemResultMeta, GstAnalyticsRelationMeta"
            : "8 objects: regions, GstTandemResultMeta",
        written_us, of_us);
  print("reading them and writing their ids", ids_us, of_us);
  print("reading them and writing a line of JSON", json_us, of_us);
  print("all", all_us, of_us);
  return 0;
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  gst_init(&argc, &argv);
  return tandem::run();
}
