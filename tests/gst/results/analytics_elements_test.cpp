// SPDX-License-Identifier: LGPL-2.1-or-later
// GstAnalyticsRelationMeta between our elements and those of others: GStreamer's
// objectdetectionoverlay draws what our detector found, and ours read what another program wrote.
#include <gst/analytics/analytics.h>
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "gst/meta/region.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

using Json = nlohmann::json;

constexpr Size kSize{200, 208};
// Half transparent: a box that is drawn twice is brighter.
constexpr char kOverlay[] =
    "objectdetectionoverlay draw-labels=false object-detection-outline-color=0x80ffffff";

struct WrittenBox {
  const char* label;
  gint x, y, width, height;
  gfloat confidence;
};

// As a program that knows nothing of Tandem does.
void write(GstBuffer* frame, const std::vector<WrittenBox>& boxes) {
  GstAnalyticsRelationMeta* meta = gst_buffer_add_analytics_relation_meta(frame);
  for (const WrittenBox& box : boxes) {
    GstAnalyticsODMtd written;
    ASSERT_TRUE(gst_analytics_relation_meta_add_od_mtd(meta, g_quark_from_string(box.label), box.x,
                                                       box.y, box.width, box.height, box.confidence,
                                                       &written));
  }
}

std::vector<uint8_t> content(GstBuffer* buffer) {
  std::vector<uint8_t> bytes(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  return bytes;
}

// What `elements` make of a frame.
BufferRef behind(const std::string& elements, GstBuffer* frame) {
  Stream stream(elements, kSize);
  stream.play();
  stream.push_buffer(frame);
  stream.end();
  BufferRef out(stream.pull_buffer());
  if (!out) throw std::runtime_error("no frame came");
  return out;
}

std::vector<WrittenBox> boxes_of(GstBuffer* frame) {
  std::vector<WrittenBox> boxes;
  gpointer state = nullptr;
  while (const GstVideoRegionOfInterestMeta* region = next_region(frame, &state))
    boxes.push_back({"person", static_cast<gint>(region->x), static_cast<gint>(region->y),
                     static_cast<gint>(region->w), static_cast<gint>(region->h), 1});
  return boxes;
}

class ObjectDetectionOverlay : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    GstElementFactory* factory = gst_element_factory_find("objectdetectionoverlay");
    if (!factory) GTEST_SKIP() << "needs gstreamer1.0-plugins-bad with GStreamer 1.26";
    gst_object_unref(factory);
  }
};

// The stages of ViVid alone, and in a bin.
std::string detector(const std::string& where) {
  const std::string stages =
      "vividfilter scales=2 device=cpu ! vividhistogram device=cpu ! "
      "vividclassifier name=classifier device=cpu threshold=0.3";
  return where == "alone" ? stages
                          : "tandembin.( cores=2 adapt=off opencl-device=any " + stages + " )";
}

TEST_P(ObjectDetectionOverlay, DrawsEachObjectOnce) {
  const BufferRef found = behind(detector(GetParam()), make_frame(0, kSize));
  const std::vector<WrittenBox> boxes = boxes_of(found.get());
  ASSERT_FALSE(boxes.empty());
  GstBuffer* once = make_frame(0, kSize);
  write(once, boxes);
  // Directly behind appsrc the overlay of GStreamer 1.26 does not negotiate.
  const std::string reference = std::string("vividfilter device=cpu ! ") + kOverlay;
  const std::vector<uint8_t> expected = content(behind(reference, once).get());
  EXPECT_FALSE(expected == pixels(0, kSize));
  const std::string line = detector(GetParam()) + " ! " + kOverlay;
  EXPECT_TRUE(content(behind(line, make_frame(0, kSize)).get()) == expected);
}

// On a frame without a meta the overlay draws what it drew last.
TEST_P(ObjectDetectionOverlay, DrawsNothingWhereNothingWasFound) {
  Stream stream(detector(GetParam()) + " ! " + kOverlay, kSize);
  stream.play();
  stream.push(0, 1);
  const BufferRef first(stream.pull_buffer());
  ASSERT_TRUE(first);
  EXPECT_FALSE(content(first.get()) == pixels(0, kSize));
  g_object_set(stream.element("classifier"), "threshold", 1.0, nullptr);
  stream.push(1, 2);
  stream.end();
  const BufferRef second(stream.pull_buffer());
  ASSERT_TRUE(second);
  ASSERT_TRUE(boxes_of(second.get()).empty());
  EXPECT_TRUE(content(second.get()) == pixels(1, kSize));
}

INSTANTIATE_TEST_SUITE_P(Of, ObjectDetectionOverlay, testing::Values("alone", "inABin"),
                         [](const auto& where) { return std::string(where.param); });

const std::vector<WrittenBox> kWritten = {{"car", 20, 30, 60, 40, 0.5F},
                                          {"dog", 100, 90, 50, 80, 0.25F}};

TEST(ObjectsOfOtherPrograms, StandInJsonOnce) {
  GstBuffer* frame = make_frame(0, kSize);
  write(frame, kWritten);
  GstAnalyticsRelationMeta* meta = gst_buffer_get_analytics_relation_meta(frame);
  GstAnalyticsTrackingMtd track;
  ASSERT_TRUE(gst_analytics_relation_meta_add_tracking_mtd(meta, 42, 0, &track));
  ASSERT_TRUE(gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_RELATE_TO, 1,
                                                       track.id));
  GstAnalyticsClsMtd scene;
  ASSERT_TRUE(gst_analytics_relation_meta_add_one_cls_mtd(
      meta, 0.75F, g_quark_from_static_string("street"), &scene));
  const std::vector<uint8_t> text = content(behind("tandemmeta2json", frame).get());
  const Json line = Json::parse(text.begin(), text.end());
  const Json& found = line.at("detections");
  ASSERT_EQ(found.size(), kWritten.size()) << line;
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].at("label"), kWritten[i].label);
    EXPECT_EQ(found[i].at("x"), kWritten[i].x);
    EXPECT_EQ(found[i].at("y"), kWritten[i].y);
    EXPECT_EQ(found[i].at("w"), kWritten[i].width);
    EXPECT_EQ(found[i].at("h"), kWritten[i].height);
    EXPECT_EQ(found[i].at("confidence"), kWritten[i].confidence);
  }
  EXPECT_FALSE(found[0].contains("object_id"));
  EXPECT_EQ(found[1].at("object_id"), 42);
  ASSERT_EQ(line.at("scenes").size(), 1u);
  EXPECT_EQ(line.at("scenes")[0].at("label"), "street");
}

TEST(ObjectsOfOtherPrograms, AreDrawnAsRegionsAre) {
  GstBuffer* frame = make_frame(0, kSize);
  write(frame, kWritten);
  GstBuffer* with_regions = make_frame(0, kSize);
  for (const WrittenBox& box : kWritten) {
    auto* region = gst_buffer_add_video_region_of_interest_meta(
        with_regions, box.label, static_cast<guint>(box.x), static_cast<guint>(box.y),
        static_cast<guint>(box.width), static_cast<guint>(box.height));
    gst_video_region_of_interest_meta_add_param(
        region, gst_structure_new("detection", "confidence", G_TYPE_DOUBLE,
                                  static_cast<gdouble>(box.confidence), nullptr));
  }
  const std::vector<uint8_t> drawn = content(behind("tandemoverlay", frame).get());
  EXPECT_FALSE(drawn == pixels(0, kSize));
  EXPECT_TRUE(drawn == content(behind("tandemoverlay", with_regions).get()));
}

}  // namespace
}  // namespace tandem::test
