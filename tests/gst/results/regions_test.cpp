// SPDX-License-Identifier: LGPL-2.1-or-later
// What stages attach to frames, read as DL Streamer's gvametaconvert reads it: by the names and
// types of the fields that its documentation gives.
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "gst/meta/region.h"
#include "gst/meta/resultmeta.h"
#include "tests/gst/support/scene_model.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

using Json = nlohmann::json;

Json detection_of(const GstStructure* s) {
  gdouble x_min, x_max, y_min, y_max, confidence;
  gint label_id;
  // A field that is missing or of another type: the converter leaves the object out.
  if (!gst_structure_get(s, "x_min", G_TYPE_DOUBLE, &x_min, "x_max", G_TYPE_DOUBLE, &x_max, "y_min",
                         G_TYPE_DOUBLE, &y_min, "y_max", G_TYPE_DOUBLE, &y_max, "confidence",
                         G_TYPE_DOUBLE, &confidence, "label_id", G_TYPE_INT, &label_id, nullptr))
    return nullptr;
  const gchar* label = gst_structure_get_string(s, "label");
  return {{"x_min", x_min},
          {"x_max", x_max},
          {"y_min", y_min},
          {"y_max", y_max},
          {"confidence", confidence},
          {"label_id", label_id},
          {"label", label ? Json(label) : Json()}};
}

// Other parameters are classifications, which name their model.
Json classification_of(const GstStructure* s) {
  gdouble confidence = -1;
  gint label_id = -1;
  const gchar* label = gst_structure_get_string(s, "label");
  const gchar* model = gst_structure_get_string(s, "model_name");
  if (!label || !model) return nullptr;
  gst_structure_get(s, "confidence", G_TYPE_DOUBLE, &confidence, "label_id", G_TYPE_INT, &label_id,
                    nullptr);
  return {{"label", label}, {"model", model}, {"confidence", confidence}, {"label_id", label_id}};
}

Json convert(GstBuffer* frame) {
  Json objects = Json::array();
  gpointer state = nullptr;
  while (GstMeta* found = gst_buffer_iterate_meta_filtered(
             frame, &state, GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)) {
    const auto* meta = reinterpret_cast<GstVideoRegionOfInterestMeta*>(found);
    Json object = {{"x", meta->x}, {"y", meta->y}, {"w", meta->w}, {"h", meta->h}};
    object["region_id"] = meta->id;
    object["roi_type"] = g_quark_to_string(meta->roi_type);
    if (meta->parent_id >= 0) object["parent_id"] = meta->parent_id;
    for (GList* l = meta->params; l; l = l->next) {
      const auto* s = static_cast<const GstStructure*>(l->data);
      if (gst_structure_has_name(s, "detection")) {
        object["detection"] = detection_of(s);
      } else {
        const gchar* attribute = gst_structure_get_string(s, "attribute_name");
        object[attribute ? attribute : gst_structure_get_name(s)] = classification_of(s);
      }
    }
    objects.push_back(object);
  }
  return objects;
}

std::vector<Json> converted(Stream& stream, int frames) {
  stream.play();
  stream.push(0, frames);
  stream.end();
  std::vector<Json> all;
  while (GstBuffer* buffer = stream.pull_buffer()) {
    all.push_back(convert(buffer));
    gst_buffer_unref(buffer);
  }
  return all;
}

void expect_box_of_pixels(const Json& object, Size size) {
  const Json& detection = object.at("detection");
  const auto pixel = [&](const char* field, int all) {
    const double fraction = detection.at(field).get<double>();
    EXPECT_GE(fraction, 0) << field;
    EXPECT_LE(fraction, 1) << field;
    return fraction * all;
  };
  const double x = pixel("x_min", size.width), y = pixel("y_min", size.height);
  EXPECT_NEAR(x, object.at("x").get<double>(), 0.51);
  EXPECT_NEAR(y, object.at("y").get<double>(), 0.51);
  EXPECT_NEAR(pixel("x_max", size.width) - x, object.at("w").get<double>(), 0.51);
  EXPECT_NEAR(pixel("y_max", size.height) - y, object.at("h").get<double>(), 0.51);
}

TEST(Regions, DetectionsAreWhatTheConverterReads) {
  constexpr Size kSize{200, 208};
  Stream stream(stages_alone("scales=2") + " threshold=0.3", kSize);
  const std::vector<Json> frames = converted(stream, 3);
  ASSERT_EQ(frames.size(), 3U);
  for (const Json& objects : frames) {
    ASSERT_FALSE(objects.empty());
    for (const Json& object : objects) {
      SCOPED_TRACE(object.dump());
      ASSERT_TRUE(object.at("detection").is_object());
      EXPECT_EQ(object.at("roi_type"), "person");
      EXPECT_EQ(object.at("detection").at("label"), "person");
      EXPECT_EQ(object.at("detection").at("label_id"), 0);
      EXPECT_GE(object.at("detection").at("confidence"), 0.3);
      EXPECT_LE(object.at("detection").at("confidence"), 1);
      EXPECT_FALSE(object.contains("parent_id"));
      expect_box_of_pixels(object, kSize);
    }
  }
}

TEST(Regions, AScenesLabelIsAClassificationOfTheWholeFrame) {
  constexpr Size kSize{96, 80};
  Stream stream("scenefeatures device=cpu ! sceneclassifier model=" + scene_model_file(), kSize);
  const std::vector<Json> frames = converted(stream, 3);
  ASSERT_EQ(frames.size(), 3U);
  const std::vector<std::string> labels{"coast", "forest", "street"};
  for (const Json& objects : frames) {
    ASSERT_EQ(objects.size(), 1U);
    const Json& scene = objects[0].at("scene");
    SCOPED_TRACE(objects[0].dump());
    EXPECT_EQ(scene.at("label"), labels.at(scene.at("label_id").get<std::size_t>()));
    EXPECT_EQ(scene.at("model"), "scenes");
    EXPECT_EQ(objects[0].at("roi_type"), scene.at("label"));
    for (const char* field : {"label", "label_id", "confidence"})
      EXPECT_EQ(objects[0].at("detection").at(field), scene.at(field)) << field;
    expect_box_of_pixels(objects[0], kSize);
    EXPECT_EQ(objects[0].at("detection").at("x_max"), 1);
    EXPECT_EQ(objects[0].at("detection").at("y_max"), 1);
  }
}

TEST(Regions, IdsAreUniqueInAStreamOfManyThreadsAndStages) {
  constexpr int kFrames = 8;
  const std::string vivid = "vividfilter scales=1 ! vividhistogram ! vividclassifier threshold=0.3";
  Stream stream(bin_of(vivid, "mapping=ccc threads=2") +
                    " ! scenefeatures device=cpu ! sceneclassifier model=" + scene_model_file(),
                {});
  stream.play();
  stream.push(0, kFrames);
  stream.end();
  // With GstAnalyticsRelationMeta a region has its id there, which is one of the frame alone.
  std::set<gint> ids;
  std::size_t regions = 0, scenes = 0;
  while (const BufferRef frame = BufferRef(stream.pull_buffer())) {
    for (const RegionResult& result : results_in(result_meta_of(frame.get()))) {
      EXPECT_NE(result.id, 0);
      ids.insert(result.id);
      ++regions;
      scenes += result.is_scene;
    }
  }
  EXPECT_EQ(scenes, std::size_t{kFrames});
  EXPECT_GT(regions, scenes);
  EXPECT_EQ(ids.size(), regions);
}

TEST(Regions, WhatLiesOutsideOfTheFrameIsCutToFractions) {
  const BufferRef frame(gst_buffer_new());
  const GQuark label = g_quark_from_static_string("thing");
  ASSERT_TRUE(attach_region(frame.get(), {label, 4, 0.5, -2, 10, 130, 4.6}, {100, 20}));
  const Json objects = convert(frame.get());
  ASSERT_EQ(objects.size(), 1U);
  EXPECT_EQ(objects[0].at("x"), 0);
  EXPECT_EQ(objects[0].at("w"), 100);
  EXPECT_EQ(objects[0].at("h"), 5);
  const Json& detection = objects[0].at("detection");
  EXPECT_EQ(detection.at("x_min"), 0);
  EXPECT_EQ(detection.at("x_max"), 1);
  EXPECT_EQ(detection.at("y_min"), 0.5);
  EXPECT_NEAR(detection.at("y_max"), 0.73, 1e-9);
  EXPECT_EQ(detection.at("label_id"), 4);
}

TEST(Regions, AreClippedOnEachSide) {
  constexpr FrameSize kFrame{40, 30};
  constexpr double kMost = std::numeric_limits<double>::max();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  struct Case {
    double x, y, width, height;
    guint got[4];
  };
  for (const Case& c : std::initializer_list<Case>{
           {-5, -5, 20, 20, {0, 0, 15, 15}},
           {30, 20, 20, 20, {30, 20, 10, 10}},
           {-5, 20, 60, 20, {0, 20, 40, 10}},
           {0, 0, 40, 30, {0, 0, 40, 30}},
           {0.5, 0.5, 39.5, 29.5, {1, 1, 39, 29}},  // both round up
           {39.7, 29.8, 5, 5, {39, 29, 1, 1}},      // less than half a pixel is seen
           {-kMost, 10, kInfinity, 5, {0, 10, 40, 5}},
           {5, 5, kMost, kInfinity, {5, 5, 35, 25}}}) {
    SCOPED_TRACE(std::to_string(c.x) + " " + std::to_string(c.y));
    const BufferRef frame(gst_buffer_new());
    const auto* meta = attach_region(frame.get(), {0, 0, 1, c.x, c.y, c.width, c.height}, kFrame);
    ASSERT_TRUE(meta);
    EXPECT_EQ(meta->x, c.got[0]);
    EXPECT_EQ(meta->y, c.got[1]);
    EXPECT_EQ(meta->w, c.got[2]);
    EXPECT_EQ(meta->h, c.got[3]);
  }
}

TEST(Regions, OfWhichNothingIsInTheFrameAreNone) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const BufferRef frame(gst_buffer_new());
  for (const Region& region :
       std::initializer_list<Region>{{0, 0, 1, -20, 5, 20, 10},
                                     {0, 0, 1, 40, 5, 20, 10},
                                     {0, 0, 1, 5, -10, 20, 10},
                                     {0, 0, 1, 5, 30, 20, 10},
                                     {0, 0, 1, 5, 5, 0, 10},
                                     {0, 0, 1, 5, 5, 10, -3},
                                     {0, 0, 1, -1e30, 5, 1e30, 10},
                                     {0, 0, 1, 1e300, 5, 10, 10},
                                     {0, 0, 1, kNaN, 5, 20, 10},
                                     {0, 0, 1, 5, kNaN, 20, 10},
                                     {0, 0, 1, 5, 5, kNaN, 10},
                                     {0, 0, 1, 5, 5, 20, kNaN},
                                     {0, 0, 1, -kInfinity, 5, kInfinity, 10}})
    EXPECT_FALSE(attach_region(frame.get(), region, {40, 30})) << region.x << " " << region.y;
  EXPECT_FALSE(attach_region(frame.get(), {0, 0, 1, 1, 2, 3, 4}, {0, 0}));
  EXPECT_TRUE(convert(frame.get()).empty());
}

/// The path of a stage file with this text.
std::string written(const std::string& name, const std::string& text) {
  const std::string path = temporary_folder() + "/" + name + ".cl";
  std::ofstream(path) << text;
  return path;
}

TEST(Regions, OfAStageFileAreClipped) {
  for (const std::string& type : {std::string("float32"), std::string("int32")}) {
    SCOPED_TRACE(type);
    // A row a box: over the top left, over the bottom right, beside each edge, without end.
    const std::string path = written(
        "clipped-" + type,
        "//!STAGE clipped\n"
        "constant int table[28] = {-5,-5,20,20, 40,15,20,20, -30,0,20,20, 48,0,9,9, 0,-9,9,9, "
        "0,20,9,9, -2147483647,1,2147483647,2147483647};\n"
        "//!READ luma\n//!WRITE box " +
            type + " shape=7,4\n//!REGIONS box label=spot\n//!MAP\nbox = table[4 * y + x];\n");
    Stream stream("kernelstage device=cpu location=" + path, {48, 20});
    const auto results = stream.run(1);
    ASSERT_EQ(results.size(), 1U);
    const auto& boxes = results[0].boxes;
    ASSERT_EQ(boxes.size(), 2U) << "boxes outside of the frame are none";
    EXPECT_EQ(boxes[0].x, 0U);
    EXPECT_EQ(boxes[0].y, 0U);
    EXPECT_EQ(boxes[0].width, 15U);
    EXPECT_EQ(boxes[0].height, 15U);
    EXPECT_EQ(boxes[1].x, 40U);
    EXPECT_EQ(boxes[1].y, 15U);
    EXPECT_EQ(boxes[1].width, 8U);
    EXPECT_EQ(boxes[1].height, 5U);
  }
}

TEST(Regions, LabelsOfOtherElementsAreFound) {
  const BufferRef frame(gst_buffer_new());
  auto* typed = gst_buffer_add_video_region_of_interest_meta(frame.get(), "type", 1, 2, 3, 4);
  EXPECT_STREQ(label_of(typed), "type");
  gst_video_region_of_interest_meta_add_param(
      typed, gst_structure_new("detection", "label", G_TYPE_STRING, "label", nullptr));
  EXPECT_STREQ(label_of(typed), "label");
  auto* unknown = gst_buffer_add_video_region_of_interest_meta_id(frame.get(), 0, 1, 2, 3, 4);
  EXPECT_STREQ(label_of(unknown), "");
  EXPECT_EQ(param_of(unknown, "detection"), nullptr);
}

}  // namespace
}  // namespace tandem::test
