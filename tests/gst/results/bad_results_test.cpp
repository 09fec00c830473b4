// SPDX-License-Identifier: LGPL-2.1-or-later
// Frames whose results an attacker or a careless element wrote, as they are read and as JSON.
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "gst/json/framejson.h"
#include "gst/meta/region.h"
#include "gst/meta/results.h"

namespace tandem::test {
namespace {

using Json = nlohmann::json;

constexpr FrameSize kSize{640, 480};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

BufferRef frame() { return BufferRef(gst_buffer_new()); }

// Places may be negative: casts of them are what a careless element writes.
GstVideoRegionOfInterestMeta* add(GstBuffer* buffer, int64_t x, int64_t y, int64_t width,
                                  int64_t height, const char* label = "car") {
  return gst_buffer_add_video_region_of_interest_meta(
      buffer, label, static_cast<guint>(x), static_cast<guint>(y), static_cast<guint>(width),
      static_cast<guint>(height));
}

void add_param(GstVideoRegionOfInterestMeta* region, const char* text) {
  gst_video_region_of_interest_meta_add_param(region, gst_structure_from_string(text, nullptr));
}

void add_confidence(GstVideoRegionOfInterestMeta* region, double value) {
  gst_video_region_of_interest_meta_add_param(
      region, gst_structure_new("detection", "confidence", G_TYPE_DOUBLE, value, nullptr));
}

// Parsing fails where the line is no JSON.
Json json_of(GstBuffer* buffer) {
  const std::string line = frame_json_line(buffer, {"", 0, kSize, 0});
  EXPECT_TRUE(g_utf8_validate(line.data(), static_cast<gssize>(line.size()), nullptr));
  return Json::parse(line);
}

TEST(BadResults, BoxesAreCutAtTheEdgesOfTheFrame) {
  const BufferRef buffer = frame();
  add(buffer.get(), 600, 400, 100, 200);
  add(buffer.get(), -5, -7, 20, 30);
  add(buffer.get(), -5, -7, G_MAXINT, G_MAXINT);
  const FrameResults results = read_results(buffer.get(), kSize);
  const int expected[][4] = {{600, 400, 40, 80}, {0, 0, 15, 23}, {0, 0, 640, 480}};
  ASSERT_EQ(results.objects.size(), std::size(expected));
  for (std::size_t i = 0; i < std::size(expected); ++i) {
    const FrameObject& o = results.objects[i];
    EXPECT_EQ((std::vector{o.x, o.y, o.width, o.height}),
              (std::vector(std::begin(expected[i]), std::end(expected[i]))));
  }
  EXPECT_EQ(results.bad.boxes, 0u);
}

TEST(BadResults, BoxesWithoutAnAreaOrOutsideAreLeftOut) {
  const BufferRef buffer = frame();
  const int64_t far = G_MAXUINT;
  const int64_t boxes[][4] = {{10, 10, 0, 5},     {10, 10, 5, 0},       {640, 0, 5, 5},
                              {0, 480, 5, 5},     {-10, 0, 10, 10},     {0, -10, 10, 10},
                              {10, 10, -5, 5},    {10, 10, 5, -5},      {far, far, far, far},
                              {0, 0, far, far},   {G_MAXINT, 0, 10, 5}, {G_MININT, 0, 10, 5},
                              {100'000, 0, 5, 5}, {0, 100'000, 5, 5}};
  for (const auto& [x, y, width, height] : boxes) add(buffer.get(), x, y, width, height);
  const FrameResults results = read_results(buffer.get(), kSize);
  EXPECT_TRUE(results.objects.empty());
  EXPECT_EQ(results.bad.boxes, std::size(boxes));
  EXPECT_TRUE(json_of(buffer.get()).at("detections").empty());
}

// What an element cut off is not bad.
TEST(BadResults, BoxesInThePartThatIsCutOffAreNotBad) {
  const BufferRef buffer = frame();
  add(buffer.get(), 10, 10, 5, 5);
  GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer.get());
  crop->x = 100;
  crop->width = 200;
  crop->height = 100;
  const FrameResults results = read_results(buffer.get(), {200, 100});
  EXPECT_TRUE(results.objects.empty());
  EXPECT_EQ(results.bad.boxes, 0u);
}

TEST(BadResults, OfAFrameOfUnknownSizeAreReadToo) {
  const BufferRef buffer = frame();
  add(buffer.get(), -5, 0, 20, 30);
  add(buffer.get(), G_MAXINT - 1, G_MAXINT - 1, G_MAXINT, G_MAXINT);
  const FrameResults results = read_results(buffer.get(), {});
  ASSERT_EQ(results.objects.size(), 2u);
  EXPECT_EQ(results.objects[0].width, 15);
  EXPECT_EQ(results.objects[1].width, 1);
}

TEST(BadResults, ConfidencesThatAreNoneAreUnknown) {
  const double none[] = {kNaN, kInfinity, -kInfinity, -0.5, 1.5, 87, 1e308};
  const BufferRef buffer = frame();
  for (const double value : none) add_confidence(add(buffer.get(), 1, 2, 3, 4), value);
  attach_region(buffer.get(),
                {.label = g_quark_from_static_string("person"),
                 .confidence = kNaN,
                 .x = 1,
                 .y = 2,
                 .width = 3,
                 .height = 4},
                kSize);
  attach_scene(buffer.get(), {.label = g_quark_from_static_string("coast"), .confidence = kNaN},
               kSize, "scenes");
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_EQ(results.objects.size(), std::size(none) + 1);
  for (const FrameObject& object : results.objects) EXPECT_EQ(object.confidence, std::nullopt);
  ASSERT_EQ(results.scenes.size(), 1u);
  EXPECT_EQ(results.scenes[0].confidence, std::nullopt);
  EXPECT_GE(results.bad.confidences, std::size(none) + 2);
  const Json line = json_of(buffer.get());
  for (const Json& one : line.at("detections")) EXPECT_TRUE(one.at("confidence").is_null());
}

TEST(BadResults, ConfidencesThatAreRoundedStayInRange) {
  const BufferRef buffer = frame();
  for (const double value : {-1e-7, 0.5, 1 + 1e-7})
    add_confidence(add(buffer.get(), 1, 2, 3, 4), value);
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_EQ(results.objects.size(), 3u);
  EXPECT_EQ(results.objects[0].confidence, 0.0);
  EXPECT_EQ(results.objects[1].confidence, 0.5);
  EXPECT_EQ(results.objects[2].confidence, 1.0);
  EXPECT_EQ(results.bad.confidences, 0u);
}

TEST(BadResults, ParametersOfOtherTypesAreIgnored) {
  const BufferRef buffer = frame();
  for (const char* text :
       {"detection, confidence=(string)high, label=(int)3, label_id=(string)car",
        "detection, confidence=(int)1, label=(boolean)true, label_id=(double)7",
        "detection, confidence=(GstFraction)1/2, label=(GstCaps)\"video/x-raw\"", "detection",
        "object_id, id=(string)\"5\"", "object_id, id=(int)-5", "object_id, id=(int)0"})
    add_param(add(buffer.get(), 1, 2, 3, 4), text);
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_EQ(results.objects.size(), 7u);
  for (const FrameObject& object : results.objects) {
    EXPECT_EQ(object.label, "car");
    EXPECT_EQ(object.label_id, std::nullopt);
    EXPECT_EQ(object.confidence, std::nullopt);
    EXPECT_EQ(object.object_id, std::nullopt);
  }
  EXPECT_EQ(results.bad.confidences, 3u);
  add_param(add(buffer.get(), 1, 2, 3, 4), "scene, label=(int)3, confidence=(string)\"\"");
  const Json line = json_of(buffer.get());
  EXPECT_EQ(line.at("detections").size(), 7u);
  EXPECT_EQ(line.at("scenes").at(0).at("label"), "");
}

TEST(BadResults, LabelsAreReadAsShortUtf8) {
  const std::string longest(kMostLabelBytes, 'a'), megabyte(1 << 20, 'm');
  const std::string in_the_middle = std::string(kMostLabelBytes - 1, 'a') + "\u00fc and more";
  const std::string no_beginning(1000, '\x80');
  const std::pair<std::string, std::string> cases[] = {
      {longest, longest},
      {megabyte, megabyte.substr(0, kMostLabelBytes)},
      {in_the_middle, in_the_middle.substr(0, kMostLabelBytes - 1)},
      {no_beginning, ""},
      {"", ""},
      {"a\xff z", "a\ufffd z"},
      {"cut \xe2\x82", "cut \ufffd\ufffd"}};
  const BufferRef buffer = frame();
  for (const auto& [label, read] : cases) {
    auto* region = add(buffer.get(), 1, 2, 3, 4, "thing");
    gst_video_region_of_interest_meta_add_param(
        region, gst_structure_new("detection", "label_id", G_TYPE_INT, 1, nullptr));
    // gst_structure_new() would refuse text that is not UTF-8.
    region->roi_type = g_quark_from_string(label.c_str());
  }
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_EQ(results.objects.size(), std::size(cases));
  for (std::size_t i = 0; i < std::size(cases); ++i)
    EXPECT_EQ(results.objects[i].label, cases[i].second) << i;
  EXPECT_EQ(results.bad.labels, 5u);
  json_of(buffer.get());
}

TEST(BadResults, TooManyRegionsAreLeftOut) {
  const BufferRef buffer = frame();
  const GQuark megabyte = g_quark_from_string(std::string(1 << 20, 'm').c_str());
  for (gsize i = 0; i < 2 * kMostObjects; ++i)
    gst_buffer_add_video_region_of_interest_meta_id(buffer.get(), megabyte, 1, 2, 3, 4);
  const FrameResults results = read_results(buffer.get(), kSize);
  EXPECT_EQ(results.objects.size(), kMostObjects);
  EXPECT_EQ(results.bad.not_read, kMostObjects);
  EXPECT_LT(frame_json_line(buffer.get(), {"", 0, kSize, 0}).size(), 20'000'000u);
}

TEST(BadResults, TooManyScenesAreLeftOut) {
  const BufferRef buffer = frame();
  for (gsize i = 0; i < kMostObjects + 5; ++i)
    add_param(add(buffer.get(), 0, 0, 640, 480), "scene, label=(string)coast");
  const FrameResults results = read_results(buffer.get(), kSize);
  EXPECT_EQ(results.scenes.size(), kMostObjects);
  EXPECT_EQ(results.bad.not_read, 5u);
}

// Only relations to parents could go in a circle, and nothing reads these.
TEST(BadResults, IdsAndParentsMayBeAnything) {
  const BufferRef buffer = frame();
  const std::pair<int, int> ids[] = {{7, 7},  {7, 8}, {8, 7}, {7, 7}, {G_MININT, G_MAXINT},
                                     {-1, -1}};
  for (const auto& [id, parent] : ids) {
    auto* region = add(buffer.get(), 1, 2, 3, 4);
    region->id = id;
    region->parent_id = parent;
  }
  EXPECT_EQ(read_results(buffer.get(), kSize).objects.size(), std::size(ids));
  EXPECT_EQ(json_of(buffer.get()).at("detections").at(4).at("id"), G_MININT);
}

TEST(BadResults, ObjectsOfOneIdCanBeTracked) {
  const BufferRef buffer = frame();
  for (int i = 0; i < 3; ++i) {
    attach_region(buffer.get(), {.label = 1, .x = 10.0 * i, .width = 5, .height = 5}, kSize);
    add(buffer.get(), 10 * i, 50, 5, 5);
  }
  for (gpointer state = nullptr; auto* region = next_region(buffer.get(), &state);) region->id = 9;
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_GE(results.objects.size(), 6u);
  for (std::size_t i = 0; i < results.objects.size(); ++i)
    set_object_id(buffer.get(), results.objects[i], i + 1, GST_CLOCK_TIME_NONE,
                  GST_CLOCK_TIME_NONE);
  std::vector<uint64_t> ids;
  const FrameResults tracked = read_results(buffer.get(), kSize);
  for (const FrameObject& object : tracked.objects)
    if (object.region) ids.push_back(object.object_id.value_or(0));
  EXPECT_EQ(std::set<uint64_t>(ids.begin(), ids.end()).size(), 6u);
}

TEST(BadResults, MotionThatIsNoneIsLeftOut) {
  const float nan = static_cast<float>(kNaN), infinite = static_cast<float>(kInfinity);
  static const GstTandemMotionVector vectors[] = {
      {nan, 1, 1, 1, 1, 1},       {1, infinite, 1, 1, 2, 1}, {1, 1, nan, 1, 3, 1},
      {1, 1, 1, -infinite, 4, 1}, {-1, 1, 1, 1, 5, 1},       {1e30F, 1, 1e30F, 1, 6, 1},
      {640, 1, 1, 1, 7, 1},       {1, 480, 1, 1, 8, 1},      {639.5F, 479.5F, 1, 1, 9, 1}};
  const BufferRef buffer = frame();
  gst_buffer_add_tandem_motion_meta(
      buffer.get(), vectors, std::size(vectors),
      gst_memory_new_wrapped(GST_MEMORY_FLAG_READONLY, const_cast<GstTandemMotionVector*>(vectors),
                             sizeof vectors, 0, sizeof vectors, nullptr, nullptr));
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_EQ(results.motion.size(), 1u);
  EXPECT_EQ(results.motion[0].id, 9u);
  EXPECT_EQ(results.bad.vectors, std::size(vectors) - 1);
  EXPECT_EQ(json_of(buffer.get()).at("motion").size(), 1u);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
