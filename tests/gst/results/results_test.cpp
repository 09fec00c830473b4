// SPDX-License-Identifier: LGPL-2.1-or-later
// What is read from frames, and what of it is left behind elements of GStreamer. Holds with
// GstAnalyticsRelationMeta (GStreamer 1.24 and newer) and without.
#include "gst/meta/results.h"

#include <gst/tandem/motionmeta.h>
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "gst/json/framejson.h"
#include "gst/meta/region.h"
#include "gst/meta/resultmeta.h"

namespace tandem::test {
namespace {

constexpr FrameSize kSize{640, 480};
constexpr guint kI420Bytes = 640 * 480 * 3 / 2;

BufferRef frame() {
  BufferRef made(gst_buffer_new_allocate(nullptr, kI420Bytes, nullptr));
  GST_BUFFER_PTS(made.get()) = 0;
  return made;
}

GQuark quark(const char* label) { return g_quark_from_string(label); }

Region person(double x = 100) {
  return {.label = quark("person"),
          .label_id = 3,
          .confidence = 0.75,
          .x = x,
          .y = 80,
          .width = 40,
          .height = 120};
}

Region coast() { return {.label = quark("coast"), .label_id = 5, .confidence = 0.5}; }

// A region as an element that knows nothing of Tandem attaches it.
GstVideoRegionOfInterestMeta* attach_foreign(GstBuffer* buffer, const char* label, guint x) {
  auto* meta = gst_buffer_add_video_region_of_interest_meta(buffer, label, x, 10, 20, 30);
  gst_video_region_of_interest_meta_add_param(
      meta, gst_structure_new("detection", "confidence", G_TYPE_DOUBLE, 0.25, "label_id",
                              G_TYPE_INT, 9, nullptr));
  return meta;
}

// The frame behind `elements`, into which it goes as 640x480 I420.
BufferRef behind(const std::string& elements, const BufferRef& buffer) {
  const std::string line =
      "appsrc name=source format=time caps=video/x-raw,format=I420,width=640,height=480,"
      "framerate=25/1 ! " +
      elements + " ! appsink name=sink sync=false";
  const ObjectRef<GstElement> pipeline(gst_parse_launch(line.c_str(), nullptr));
  const ObjectRef<GstElement> source(gst_bin_get_by_name(GST_BIN(pipeline.get()), "source"));
  const ObjectRef<GstElement> sink(gst_bin_get_by_name(GST_BIN(pipeline.get()), "sink"));
  gst_element_set_state(pipeline.get(), GST_STATE_PLAYING);
  GstFlowReturn flow = GST_FLOW_OK;
  g_signal_emit_by_name(source.get(), "push-buffer", buffer.get(), &flow);
  GstSample* sample = nullptr;
  g_signal_emit_by_name(sink.get(), "pull-sample", &sample);
  BufferRef out(sample ? gst_buffer_ref(gst_sample_get_buffer(sample)) : nullptr);
  if (sample) gst_sample_unref(sample);
  gst_element_set_state(pipeline.get(), GST_STATE_NULL);
  return out;
}

nlohmann::json json_of(const BufferRef& buffer) {
  return nlohmann::json::parse(frame_json_line(buffer.get(), {"", 0, kSize, 0}));
}

// The line of a frame of half the size.
nlohmann::json halved(nlohmann::json line) {
  for (nlohmann::json& detection : line.at("detections"))
    for (const char* pixels : {"x", "y", "w", "h"})
      detection.at(pixels) = detection.at(pixels).get<int>() / 2;
  return line;
}

TEST(Results, AnObjectComesOnceInAllForms) {
  const BufferRef buffer = frame();
  attach_region(buffer.get(), person(), kSize);
  attach_region(buffer.get(), person(300), kSize);
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_EQ(results.objects.size(), 2u);
  const FrameObject& first = results.objects[0];
  EXPECT_EQ(first.label, "person");
  EXPECT_EQ(first.label_id, 3);
  EXPECT_EQ(first.confidence, 0.75);
  EXPECT_EQ(first.x, 100);
  EXPECT_EQ(first.height, 120);
  EXPECT_NE(first.id, 0);
  EXPECT_NE(first.id, results.objects[1].id);
  EXPECT_EQ(first.object_id, std::nullopt);
  EXPECT_TRUE(results.scenes.empty());
}

TEST(Results, ASceneIsNoObject) {
  const BufferRef buffer = frame();
  attach_scene(buffer.get(), coast(), kSize, "scenes");
  const FrameResults results = read_results(buffer.get(), kSize);
  EXPECT_TRUE(results.objects.empty());
  ASSERT_EQ(results.scenes.size(), 1u);
  EXPECT_EQ(results.scenes[0].label, "coast");
  EXPECT_EQ(results.scenes[0].label_id, 5);
  EXPECT_EQ(results.scenes[0].confidence, 0.5);
}

// GStreamer 1.22 drops the parameters of regions there.
TEST(Results, MeanTheSameBehindElementsOfGStreamer) {
  for (const char* elements :
       {"identity", "videoconvert ! video/x-raw,format=RGB",
        "videoscale ! video/x-raw,width=320,height=240",
        "videoconvert ! video/x-raw,format=BGRx ! videoscale ! video/x-raw,width=320,height=240"}) {
    SCOPED_TRACE(elements);
    const BufferRef buffer = frame();
    attach_region(buffer.get(), person(), kSize);
    attach_scene(buffer.get(), coast(), kSize, "scenes");
    const nlohmann::json before = json_of(buffer);
    ASSERT_EQ(before.at("detections").size(), 1u);
    ASSERT_EQ(before.at("scenes").size(), 1u);
    const BufferRef after = behind(elements, buffer);
    ASSERT_TRUE(after);
    const bool is_scaled = std::string(elements).find("videoscale") != std::string::npos;
    EXPECT_EQ(json_of(after), is_scaled ? halved(before) : before);
  }
}

TEST(Results, ObjectsOfOtherElementsAreRead) {
  const BufferRef buffer = frame();
  attach_foreign(buffer.get(), "car", 7);
  attach_region(buffer.get(), person(), kSize);
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_EQ(results.objects.size(), 2u);
  const FrameObject& car = results.objects[results.objects[0].x == 7 ? 0 : 1];
  EXPECT_EQ(car.label, "car");
  EXPECT_EQ(car.label_id, 9);
  EXPECT_EQ(car.confidence, 0.25);
}

// Ids that elements chose without knowing of each other.
TEST(Results, IdsThatCollideHideNothing) {
  const BufferRef buffer = frame();
  const gint id = attach_region(buffer.get(), person(), kSize)->id;
  attach_foreign(buffer.get(), "car", 7)->id = id;
  attach_foreign(buffer.get(), "person", 400)->id = id;
  EXPECT_EQ(read_results(buffer.get(), kSize).objects.size(), 3u);
}

TEST(Results, TheIdOfAnObjectIsRead) {
  const BufferRef buffer = frame();
  attach_region(buffer.get(), person(), kSize);
  attach_region(buffer.get(), person(300), kSize);
  const FrameResults untracked = read_results(buffer.get(), kSize);
  set_object_id(buffer.get(), untracked.objects[1], 42, 0, GST_SECOND);
  for (const BufferRef& one : {BufferRef(gst_buffer_ref(buffer.get())),
                               behind("videoscale ! video/x-raw,width=320,height=240", buffer)}) {
    const FrameResults results = read_results(one.get(), kSize);
    ASSERT_EQ(results.objects.size(), 2u);
    EXPECT_EQ(results.objects[0].object_id, std::nullopt);
    EXPECT_EQ(results.objects[1].object_id, 42u);
  }
  const GstStructure* param = param_of(untracked.objects[1].region, "object_id");
  ASSERT_TRUE(param);
  gint id = 0;
  EXPECT_TRUE(gst_structure_get_int(param, "id", &id));
  EXPECT_EQ(id, 42);
}

TEST(Results, APredictedObjectSaysSo) {
  const BufferRef buffer = frame();
  Region region = person();
  region.is_predicted = true;
  attach_region(buffer.get(), region, kSize);
  EXPECT_TRUE(read_results(buffer.get(), kSize).objects.at(0).is_predicted);
}

TEST(Results, BoxesAreThoseOfTheVisiblePart) {
  const BufferRef buffer = frame();
  attach_region(buffer.get(), person(100), kSize);  // 100 to 140, 80 to 200
  attach_region(buffer.get(), person(500), kSize);  // outside
  GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer.get());
  crop->x = 120;
  crop->y = 60;
  crop->width = 200;
  crop->height = 100;
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_EQ(results.objects.size(), 1u);
  EXPECT_EQ(results.objects[0].x, 0);
  EXPECT_EQ(results.objects[0].y, 20);
  EXPECT_EQ(results.objects[0].width, 20);
  EXPECT_EQ(results.objects[0].height, 80);
}

TEST(Results, OfAFrameThatNothingIsOnAreEmpty) {
  const BufferRef buffer = frame();
  EXPECT_TRUE(read_results(buffer.get(), kSize).objects.empty());
  mark_detected(buffer.get());
  EXPECT_TRUE(read_results(buffer.get(), kSize).objects.empty());
  EXPECT_FALSE(has_results(buffer.get()));
  EXPECT_TRUE(result_meta_of(behind("videoscale ! video/x-raw,width=64,height=48", buffer).get())
                  ->detector_ran);
}

TEST(Results, MotionVectorsAreScaledWithTheFrame) {
  for (const char* elements : {"identity", "videoconvert ! video/x-raw,format=RGB",
                               "videoscale ! video/x-raw,width=320,height=120"}) {
    SCOPED_TRACE(elements);
    const BufferRef buffer = frame();
    static const GstTandemMotionVector vector{100, 80, 4, -8, 5, 2};
    gst_buffer_add_tandem_motion_meta(
        buffer.get(), &vector, 1,
        gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY,
                               const_cast<GstTandemMotionVector*>(&vector), sizeof vector, 0,
                               sizeof vector, nullptr, nullptr));
    const BufferRef after = behind(elements, buffer);
    const GstTandemMotionMeta* motion = gst_buffer_get_tandem_motion_meta(after.get());
    ASSERT_TRUE(motion);
    ASSERT_EQ(motion->count, 1u);
    const bool is_scaled = std::string(elements).find("videoscale") != std::string::npos;
    EXPECT_EQ(motion->vectors[0].x, is_scaled ? 50 : 100);
    EXPECT_EQ(motion->vectors[0].dy, is_scaled ? -2 : -8);
    EXPECT_EQ(motion->vectors[0].id, 5u);
  }
}

TEST(Results, TenThousandRegionsOfTwoWriters) {
  const BufferRef buffer = frame();
  for (int i = 0; i < 5000; ++i) {
    attach_region(buffer.get(), person(i % 600), kSize);
    attach_foreign(buffer.get(), "car", static_cast<guint>(i % 600));
  }
  EXPECT_EQ(read_results(buffer.get(), kSize).objects.size(), 10'000u);
}

TEST(Results, BoxesFarOutsideAreCutOrLeftOut) {
  const BufferRef buffer = frame();
  auto* meta = gst_buffer_add_video_region_of_interest_meta(buffer.get(), "far", G_MAXUINT,
                                                            G_MAXUINT, G_MAXUINT, G_MAXUINT);
  ASSERT_TRUE(meta);
  EXPECT_LE(read_results(buffer.get(), kSize).objects.size(), 1u);
  GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer.get());
  crop->x = crop->y = crop->width = crop->height = G_MAXUINT;
  EXPECT_LE(read_results(buffer.get(), kSize).objects.size(), 1u);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
