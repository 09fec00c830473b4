// SPDX-License-Identifier: LGPL-2.1-or-later
// A GstAnalyticsRelationMeta that an attacker or a careless element wrote (GStreamer 1.24 and
// newer).
#include <gst/analytics/analytics.h>
#include <gst/tandem/private/ref.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "gst/meta/results.h"

namespace tandem::test {
namespace {

constexpr FrameSize kSize{640, 480};
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

GstAnalyticsODMtd add(GstAnalyticsRelationMeta* meta, gint x, gint y, gint width, gint height,
                      float confidence, const std::string& label = "car") {
  GstAnalyticsODMtd object;
  EXPECT_TRUE(gst_analytics_relation_meta_add_od_mtd(meta, g_quark_from_string(label.c_str()), x, y,
                                                     width, height, confidence, &object));
  return object;
}

TEST(BadAnalytics, BoxesAreCutOrLeftOut) {
  const BufferRef buffer(gst_buffer_new());
  auto* meta = gst_buffer_add_analytics_relation_meta(buffer.get());
  add(meta, -5, -5, 20, 20, 0.5F);
  add(meta, 630, 470, G_MAXINT, G_MAXINT, 0.5F);
  add(meta, G_MININT, G_MININT, 5, 5, 0.5F);
  add(meta, G_MAXINT, G_MAXINT, G_MAXINT, G_MAXINT, 0.5F);
  add(meta, 5, 5, 0, 5, 0.5F);
  add(meta, 5, 5, 5, G_MININT, 0.5F);
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_EQ(results.objects.size(), 2u);
  EXPECT_EQ(results.objects[0].x, 0);
  EXPECT_EQ(results.objects[0].width, 15);
  EXPECT_EQ(results.objects[1].width, 10);
  EXPECT_EQ(results.bad.boxes, 4u);
}

TEST(BadAnalytics, NumbersAndLabelsAreCleaned) {
  const BufferRef buffer(gst_buffer_new());
  auto* meta = gst_buffer_add_analytics_relation_meta(buffer.get());
  for (const float confidence : {kNaN, std::numeric_limits<float>::infinity(), -1.0F, 2.0F})
    add(meta, 1, 2, 3, 4, confidence, std::string(1 << 20, 'm'));
  add(meta, 1, 2, 3, 4, 0.5F, "odd \xff");
  GstAnalyticsClsMtd scene;
  gst_analytics_relation_meta_add_one_cls_mtd(meta, kNaN, g_quark_from_string("\xff"), &scene);
  const FrameResults results = read_results(buffer.get(), kSize);
  ASSERT_EQ(results.objects.size(), 5u);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(results.objects[i].confidence, std::nullopt);
    EXPECT_EQ(results.objects[i].label.size(), kMostLabelBytes);
  }
  EXPECT_EQ(results.objects[4].confidence, 0.5);
  EXPECT_EQ(results.objects[4].label, "odd \ufffd");
  ASSERT_EQ(results.scenes.size(), 1u);
  EXPECT_EQ(results.scenes[0].confidence, std::nullopt);
  EXPECT_EQ(results.scenes[0].label, "\ufffd");
}

// Each is related to each other one, and to itself.
TEST(BadAnalytics, RelationsMayGoInCircles) {
  const BufferRef buffer(gst_buffer_new());
  auto* meta = gst_buffer_add_analytics_relation_meta(buffer.get());
  for (int i = 0; i < 50; ++i) {
    add(meta, 10 * i, 2, 3, 4, 0.5F);
    GstAnalyticsTrackingMtd track;
    gst_analytics_relation_meta_add_tracking_mtd(meta, 7, GST_CLOCK_TIME_NONE, &track);
    GstAnalyticsClsMtd part;
    gst_analytics_relation_meta_add_one_cls_mtd(meta, 0.5F, g_quark_from_string("part"), &part);
  }
  const gsize entries = gst_analytics_relation_get_length(meta);
  for (guint a = 0; a < entries; ++a)
    for (guint b = 0; b < entries; ++b)
      gst_analytics_relation_meta_set_relation(meta, GST_ANALYTICS_REL_TYPE_CONTAIN, a, b);
  const FrameResults results = read_results(buffer.get(), kSize);
  EXPECT_EQ(results.objects.size(), 50u);
  EXPECT_TRUE(results.scenes.empty());  // classes of objects
  for (const FrameObject& object : results.objects) EXPECT_EQ(object.object_id, 7u);
}

}  // namespace
}  // namespace tandem::test

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
