// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/app/gstappsink.h>
#include <gst/app/gstappsrc.h>
#include <gst/gst.h>
#include <gst/tandem/motionmeta.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "gst/elements/elements.h"

namespace {

// appsrc ! tandemoverlay ! appsink for frames of one format.
class OverlayPipeline {
 public:
  OverlayPipeline(const std::string& format, int width, int height,
                  const std::string& properties = "") {
    pipeline_ = gst_parse_launch(
        ("appsrc name=in format=time caps=video/x-raw,framerate=25/1,format=" + format +
         ",width=" + std::to_string(width) + ",height=" + std::to_string(height) +
         " ! tandemoverlay " + properties + " ! appsink name=out sync=false")
            .c_str(),
        nullptr);
    in_ = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline_), "in"));
    out_ = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(pipeline_), "out"));
    gst_video_info_set_format(&info_, gst_video_format_from_string(format.c_str()), width, height);
    gst_element_set_state(pipeline_, GST_STATE_PLAYING);
  }
  ~OverlayPipeline() {
    gst_element_set_state(pipeline_, GST_STATE_NULL);
    gst_object_unref(in_);
    gst_object_unref(out_);
    gst_object_unref(pipeline_);
  }

  GstBuffer* blank() const {
    GstBuffer* buffer = gst_buffer_new_allocate(nullptr, info_.size, nullptr);
    gst_buffer_memset(buffer, 0, 7, info_.size);
    return buffer;
  }

  // Takes `buffer`; the caller owns the result.
  GstBuffer* process(GstBuffer* buffer) {
    gst_app_src_push_buffer(in_, buffer);
    GstSample* sample = gst_app_sink_try_pull_sample(out_, 60 * GST_SECOND);
    if (!sample) return nullptr;
    GstBuffer* result = gst_buffer_ref(gst_sample_get_buffer(sample));
    gst_sample_unref(sample);
    return result;
  }

 private:
  GstElement* pipeline_;
  GstAppSrc* in_;
  GstAppSink* out_;
  GstVideoInfo info_;
};

std::vector<uint8_t> content(GstBuffer* buffer) {
  std::vector<uint8_t> bytes(gst_buffer_get_size(buffer));
  gst_buffer_extract(buffer, 0, bytes.data(), bytes.size());
  return bytes;
}

void add_region(GstBuffer* buffer, guint x, guint y, guint width, guint height,
                const char* label = nullptr) {
  GstVideoRegionOfInterestMeta* region =
      gst_buffer_add_video_region_of_interest_meta(buffer, "person", x, y, width, height);
  if (label) {
    gst_video_region_of_interest_meta_add_param(
        region, gst_structure_new("detection", "confidence", G_TYPE_DOUBLE, 0.87, "label",
                                  G_TYPE_STRING, label, nullptr));
  }
}

TEST(Overlay, DrawsABox) {
  OverlayPipeline overlay("GRAY8", 64, 48, "labels=false line-width=1");
  GstBuffer* frame = overlay.blank();
  add_region(frame, 8, 4, 20, 30);
  GstBuffer* result = overlay.process(frame);
  ASSERT_TRUE(result);
  const std::vector<uint8_t> pixels = content(result);
  for (int y = 0; y < 48; ++y) {
    for (int x = 0; x < 64; ++x) {
      const bool box = x >= 8 && x < 28 && y >= 4 && y < 34;
      const bool inside = x >= 9 && x < 27 && y >= 5 && y < 33;
      EXPECT_EQ(pixels[y * 64 + x] != 7, box && !inside) << x << "," << y;
    }
  }
  gst_buffer_unref(result);
}

TEST(Overlay, WritesTheLabelOfTheDetection) {
  OverlayPipeline overlay("GRAY8", 128, 64, "line-width=1");
  std::vector<std::vector<uint8_t>> results;
  for (const char* label : {"person", "bicycle"}) {
    GstBuffer* frame = overlay.blank();
    add_region(frame, 10, 30, 20, 20, label);
    GstBuffer* result = overlay.process(frame);
    ASSERT_TRUE(result);
    results.push_back(content(result));
    int drawn_above_the_box = 0;
    for (int i = 0; i < 30 * 128; ++i) drawn_above_the_box += results.back()[i] != 7;
    EXPECT_GT(drawn_above_the_box, 100);
    gst_buffer_unref(result);
  }
  EXPECT_NE(results[0], results[1]);
}

void add_motion(GstBuffer* buffer, std::vector<GstTandemMotionVector> vectors) {
  GstMemory* memory =
      gst_allocator_alloc(nullptr, vectors.size() * sizeof(GstTandemMotionVector), nullptr);
  GstMapInfo map;
  gst_memory_map(memory, &map, GST_MAP_WRITE);
  auto* copy = reinterpret_cast<GstTandemMotionVector*>(map.data);
  std::copy(vectors.begin(), vectors.end(), copy);
  gst_memory_unmap(memory, &map);
  gst_buffer_add_tandem_motion_meta(buffer, copy, static_cast<guint>(vectors.size()), memory);
}

TEST(Overlay, VectorsAreDrawnLongerThanTheyAre) {
  OverlayPipeline overlay("GRAY8", 64, 48, "line-width=1");
  GstBuffer* frame = overlay.blank();
  add_motion(frame, {{30, 20, 2, -1, 1, 1}});
  GstBuffer* result = overlay.process(frame);
  ASSERT_TRUE(result);
  const std::vector<uint8_t> pixels = content(result);
  EXPECT_NE(pixels[25 * 64 + 20], 7);  // five frames ago
  EXPECT_EQ(pixels[26 * 64 + 18], 7);
  gst_buffer_unref(result);
}

TEST(Overlay, DrawsALineFromWhereAFeatureWas) {
  OverlayPipeline overlay("GRAY8", 64, 48, "line-width=1 vector-scale=1");
  GstBuffer* frame = overlay.blank();
  add_motion(frame, {{30, 20, 12, 6, 1, 1}});
  GstBuffer* result = overlay.process(frame);
  ASSERT_TRUE(result);
  const std::vector<uint8_t> pixels = content(result);
  for (const int at : {14 * 64 + 18, 17 * 64 + 24, 20 * 64 + 30}) EXPECT_NE(pixels[at], 7) << at;
  int drawn = 0;
  for (const uint8_t pixel : pixels) drawn += pixel != 7;
  EXPECT_EQ(drawn, 13 + 9 - 2);  // the line, and a square of 3x3 around its end
  gst_buffer_unref(result);
}

TEST(Overlay, AwkwardVectors) {
  OverlayPipeline overlay("I420", 17, 9);
  GstBuffer* frame = overlay.blank();
  add_motion(frame, {{-5, -5, 3, 3, 1, 1},
                     {1e9f, 3, 1e9f, 0, 2, 1},
                     {NAN, INFINITY, 1, 1, 3, 1},
                     {500000, 4, 500000, 0, 4, 1}});
  GstBuffer* result = overlay.process(frame);
  ASSERT_TRUE(result);
  gst_buffer_unref(result);
}

TEST(Overlay, AFrameWithoutRegionsIsTheSameBuffer) {
  OverlayPipeline overlay("I420", 64, 48);
  gst_buffer_unref(
      overlay.process(overlay.blank()));  // the first gets the base class's DISCONT flag
  GstBuffer* frame = gst_buffer_ref(overlay.blank());  // held here too: must not be copied either
  GstBuffer* result = overlay.process(frame);
  EXPECT_EQ(result, frame);
  gst_buffer_unref(result);
  gst_buffer_unref(frame);
}

TEST(Overlay, AFrameThatOthersHoldIsCopiedBeforeDrawing) {
  OverlayPipeline overlay("I420", 64, 48);
  GstBuffer* frame = overlay.blank();
  add_region(frame, 4, 20, 20, 20, "person");
  const std::vector<uint8_t> before = content(frame);
  GstBuffer* result = overlay.process(gst_buffer_ref(frame));
  ASSERT_TRUE(result);
  EXPECT_NE(result, frame);
  EXPECT_EQ(content(frame), before);
  EXPECT_NE(content(result), before);
  EXPECT_TRUE(gst_buffer_get_video_region_of_interest_meta_id(result, 0));
  gst_buffer_unref(result);
  gst_buffer_unref(frame);
}

class OverlayFormat : public testing::TestWithParam<const char*> {};

TEST_P(OverlayFormat, AwkwardBoxesAndFrames) {
  const guint sizes[][2] = {{1, 1}, {2, 2}, {3, 5}, {63, 33}, {64, 48}};
  for (const auto& [width, height] : sizes) {
    OverlayPipeline overlay(GetParam(), width, height);
    GstBuffer* frame = overlay.blank();
    add_region(frame, 0, 0, 0, 0, "empty");
    add_region(frame, 0, 0, width, height, "all");
    add_region(frame, 1, 1, 7, 7, "odd");
    add_region(frame, width, height, 10, 10, "outside");
    add_region(frame, width - 1, height - 1, 1000, 1000, "corner");
    add_region(frame, guint(-5), guint(-5), 20, 20, "negative");
    add_region(frame, G_MAXUINT, G_MAXUINT, G_MAXUINT, G_MAXUINT, "huge");
    add_region(frame, 0, 0, G_MAXUINT, G_MAXUINT,
               "a label that is much longer than any label should ever be, with ünïcode");
    add_region(frame, 0, 0, 5, 5);
    const std::vector<uint8_t> before = content(frame);
    GstBuffer* result = overlay.process(frame);
    ASSERT_TRUE(result) << width << "x" << height;
    EXPECT_NE(content(result), before);
    gst_buffer_unref(result);
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, OverlayFormat,
                         testing::Values("GRAY8", "I420", "YV12", "NV12", "NV21", "YUY2", "UYVY",
                                         "YVYU", "Y42B", "Y444", "RGB", "BGR", "RGBx", "BGRx",
                                         "xRGB", "xBGR", "RGBA", "BGRA", "ARGB", "ABGR"),
                         [](const auto& format) { return std::string(format.param); });

TEST(Overlay, CapsThatChangeInMidStream) {
  GstElement* pipeline = gst_parse_launch(
      "appsrc name=in format=time ! tandemoverlay line-width=1 labels=false ! appsink name=out "
      "sync=false",
      nullptr);
  GstAppSrc* in = GST_APP_SRC(gst_bin_get_by_name(GST_BIN(pipeline), "in"));
  GstAppSink* out = GST_APP_SINK(gst_bin_get_by_name(GST_BIN(pipeline), "out"));
  gst_element_set_state(pipeline, GST_STATE_PLAYING);
  for (int size : {32, 64, 16}) {
    GstCaps* caps = gst_caps_new_simple("video/x-raw", "format", G_TYPE_STRING, "GRAY8", "width",
                                        G_TYPE_INT, size, "height", G_TYPE_INT, size, "framerate",
                                        GST_TYPE_FRACTION, 25, 1, nullptr);
    GstBuffer* frame = gst_buffer_new_allocate(nullptr, gsize(size) * size, nullptr);
    gst_buffer_memset(frame, 0, 7, gsize(size) * size);
    add_region(frame, 0, 0, size, size);
    GstSample* sample = gst_sample_new(frame, caps, nullptr, nullptr);
    gst_buffer_unref(frame);
    gst_caps_unref(caps);
    gst_app_src_push_sample(in, sample);
    gst_sample_unref(sample);
    GstSample* result = gst_app_sink_try_pull_sample(out, 60 * GST_SECOND);
    ASSERT_TRUE(result) << size;
    const std::vector<uint8_t> pixels = content(gst_sample_get_buffer(result));
    for (int y = 0; y < size; ++y) {
      for (int x = 0; x < size; ++x) {
        const bool border = x == 0 || y == 0 || x == size - 1 || y == size - 1;
        ASSERT_EQ(pixels[y * size + x] != 7, border) << size << ": " << x << "," << y;
      }
    }
    gst_sample_unref(result);
  }
  gst_element_set_state(pipeline, GST_STATE_NULL);
  gst_object_unref(in);
  gst_object_unref(out);
  gst_object_unref(pipeline);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  gst_element_register(nullptr, "tandemoverlay", GST_RANK_NONE, gst_tandem_overlay_get_type());
  return RUN_ALL_TESTS();
}
