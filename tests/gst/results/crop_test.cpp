// SPDX-License-Identifier: LGPL-2.1-or-later
// Results behind videocrop, in front of a sink that can crop: the frame stays whole, and a
// GstVideoCropMeta marks the part that is seen. Places are those in that part.
#include <gst/check/gstharness.h>
#include <gst/tandem/motionmeta.h>
#include <gst/tandem/private/ref.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "gst/meta/region.h"
#include "gst/meta/results.h"
#include "tests/gst/support/frames.h"
#include "tests/gst/support/stream.h"

namespace tandem::test {
namespace {

using Json = nlohmann::json;

constexpr FrameSize kWhole{320, 240}, kSeen{200, 160};
constexpr guint kLeft = 80, kTop = 40;
constexpr char kCrop[] = "videocrop left=80 top=40 right=40 bottom=40 ! ";

/// Elements between a source and a sink that crops, or one that does not.
class Cropped {
 public:
  Cropped(const std::string& elements, const char* format, FrameSize size, bool sink_crops)
      : harness_(gst_harness_new_parse(elements.c_str())) {
    gst_video_info_set_format(&info_, gst_video_format_from_string(format),
                              static_cast<guint>(size.width), static_cast<guint>(size.height));
    if (sink_crops) {
      gst_harness_add_propose_allocation_meta(harness_, GST_VIDEO_META_API_TYPE, nullptr);
      gst_harness_add_propose_allocation_meta(harness_, GST_VIDEO_CROP_META_API_TYPE, nullptr);
    }
    gst_harness_set_src_caps(harness_, gst_video_info_to_caps(&info_));
  }
  ~Cropped() { gst_harness_teardown(harness_); }
  Cropped(const Cropped&) = delete;
  Cropped& operator=(const Cropped&) = delete;

  BufferRef blank() const {
    BufferRef buffer(gst_buffer_new_allocate(nullptr, info_.size, nullptr));
    gst_buffer_memset(buffer.get(), 0, 7, info_.size);
    GST_BUFFER_PTS(buffer.get()) = 0;
    return buffer;
  }
  BufferRef process(BufferRef buffer) {
    EXPECT_EQ(gst_harness_push(harness_, buffer.release()), GST_FLOW_OK);
    return BufferRef(gst_harness_pull(harness_));
  }

  const GstVideoInfo& info() const { return info_; }

 private:
  GstHarness* const harness_;
  GstVideoInfo info_;
};

void add_person(const BufferRef& buffer, guint x, guint y) {
  gst_buffer_add_video_region_of_interest_meta(buffer.get(), "person", x, y, 40, 60);
}

void add_motion(const BufferRef& buffer) {
  static const GstTandemMotionVector vectors[] = {{kLeft + 12, kTop + 9, 2, 1, 1, 1},
                                                  {5, 5, 2, 1, 2, 1}};
  const GstMetaInfo* info = gst_meta_get_info("GstTandemMotionMeta");  // the plugin's
  ASSERT_TRUE(info);
  auto* motion =
      reinterpret_cast<GstTandemMotionMeta*>(gst_buffer_add_meta(buffer.get(), info, nullptr));
  motion->vectors = vectors;
  motion->count = std::size(vectors);
}

TEST(Crop, VideocropMarksThePartThatIsSeen) {
  Cropped stream(kCrop + std::string("identity"), "I420", kWhole, true);
  BufferRef buffer = stream.blank();
  add_person(buffer, kLeft + 30, kTop + 20);
  add_person(buffer, 5, 5);
  buffer = stream.process(std::move(buffer));
  ASSERT_TRUE(buffer);
  ASSERT_TRUE(gst_buffer_get_video_crop_meta(buffer.get()));
  const FrameResults results = read_results(buffer.get(), kSeen);
  ASSERT_EQ(results.objects.size(), 1u);
  EXPECT_EQ(results.objects[0].x, 30);
  EXPECT_EQ(results.objects[0].y, 20);
  EXPECT_EQ(results.bad.boxes, 0u);
}

// The sink of videocrop is tandemmeta2json, which never reads pixels.
TEST(Crop, LinesOfJsonAreOfThePartThatIsSeen) {
  Cropped stream(kCrop + std::string("tandemmeta2json"), "I420", kWhole, false);
  BufferRef buffer = stream.blank();
  add_person(buffer, kLeft + 30, kTop + 20);
  add_person(buffer, kLeft - 10, kTop - 10);
  add_motion(buffer);
  buffer = stream.process(std::move(buffer));
  ASSERT_TRUE(buffer);
  std::string text(gst_buffer_get_size(buffer.get()), 0);
  gst_buffer_extract(buffer.get(), 0, text.data(), text.size());
  const Json line = Json::parse(text);
  EXPECT_EQ(line.at("width"), kSeen.width);
  EXPECT_EQ(line.at("height"), kSeen.height);
  ASSERT_EQ(line.at("detections").size(), 2u);
  EXPECT_EQ(line.at("detections").at(0).at("x"), 30);
  EXPECT_EQ(line.at("detections").at(0).at("y"), 20);
  EXPECT_EQ(line.at("detections").at(1).at("x"), 0);
  EXPECT_EQ(line.at("detections").at(1).at("w"), 30);
  ASSERT_EQ(line.at("motion").size(), 1u);
  EXPECT_EQ(line.at("motion").at(0).at("x"), 12);
  EXPECT_EQ(line.at("motion").at(0).at("y"), 9);
}

// Also where no detector finds it: the region that the tracker adds is one of the whole frame, as
// the others are.
TEST(Crop, ObjectsAreTrackedInThePartThatIsSeen) {
  Cropped stream(kCrop + std::string("tandemtrack min-hits=1 coast=5"), "I420", kWhole, true);
  for (int i = 0; i < 5; ++i) {
    BufferRef buffer = stream.blank();
    const bool is_detected = i < 3;
    if (is_detected) add_person(buffer, kLeft + 30, kTop + 20);
    add_person(buffer, 5, 5);  // nobody sees it
    buffer = stream.process(std::move(buffer));
    ASSERT_TRUE(buffer);
    const FrameResults results = read_results(buffer.get(), kSeen);
    ASSERT_EQ(results.objects.size(), 1u);
    const FrameObject& person = results.objects[0];
    EXPECT_EQ(person.object_id, 1u);
    EXPECT_EQ(person.is_predicted, !is_detected);
    EXPECT_EQ(person.x, 30);
    EXPECT_EQ(person.y, 20);
    ASSERT_TRUE(person.region);
    EXPECT_EQ(person.region->x, kLeft + 30);
    EXPECT_EQ(person.region->y, kTop + 20);
  }
}

std::vector<uint8_t> pixels_of(GstBuffer* buffer, const GstVideoInfo& info, guint left, guint top,
                               FrameSize size) {
  GstVideoFrame frame;
  EXPECT_TRUE(gst_video_frame_map(&frame, &info, buffer, GST_MAP_READ));
  std::vector<uint8_t> pixels;
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(&frame); ++c) {
    const auto* finfo = frame.info.finfo;
    const auto scaled = [&](int x, int y) {
      return std::pair(GST_VIDEO_FORMAT_INFO_SCALE_WIDTH(finfo, c, x),
                       GST_VIDEO_FORMAT_INFO_SCALE_HEIGHT(finfo, c, y));
    };
    const auto [x0, y0] = scaled(static_cast<int>(left), static_cast<int>(top));
    const auto [width, height] = scaled(size.width, size.height);
    const auto* data = static_cast<const uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&frame, c));
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x)
        pixels.push_back(data[(y0 + y) * GST_VIDEO_FRAME_COMP_STRIDE(&frame, c) +
                              (x0 + x) * GST_VIDEO_FRAME_COMP_PSTRIDE(&frame, c)]);
  }
  gst_video_frame_unmap(&frame);
  return pixels;
}

class CroppedOverlay : public testing::TestWithParam<const char*> {};

// As on a frame of the size that is seen.
TEST_P(CroppedOverlay, DrawsInThePartThatIsSeen) {
  const std::string overlay = "tandemoverlay line-width=3";
  Cropped cropped(kCrop + overlay, GetParam(), kWhole, true);
  Cropped small(overlay, GetParam(), kSeen, false);
  BufferRef seen = cropped.blank(), expected = small.blank();
  const std::pair<int, int> places[] = {{30, 60}, {170, 130}, {-10, 40}};
  for (const auto& [x, y] : places) {
    add_person(seen, static_cast<guint>(static_cast<int>(kLeft) + x),
               static_cast<guint>(static_cast<int>(kTop) + y));
    add_person(expected, static_cast<guint>(x), static_cast<guint>(y));
  }
  const std::vector<uint8_t> blank = pixels_of(seen.get(), cropped.info(), 0, 0, kWhole);
  seen = cropped.process(std::move(seen));
  expected = small.process(std::move(expected));
  ASSERT_TRUE(seen && expected);
  ASSERT_TRUE(gst_buffer_get_video_crop_meta(seen.get()));
  EXPECT_EQ(pixels_of(seen.get(), cropped.info(), kLeft, kTop, kSeen),
            pixels_of(expected.get(), small.info(), 0, 0, kSeen));
  EXPECT_NE(pixels_of(seen.get(), cropped.info(), kLeft, kTop, kSeen),
            pixels_of(small.blank().get(), small.info(), 0, 0, kSeen));
  // Above what is seen nothing is drawn.
  const FrameSize above{kWhole.width, kTop};
  EXPECT_EQ(pixels_of(seen.get(), cropped.info(), 0, 0, above),
            pixels_of(cropped.blank().get(), cropped.info(), 0, 0, above));
}

INSTANTIATE_TEST_SUITE_P(Formats, CroppedOverlay,
                         testing::Values("GRAY8", "I420", "NV12", "YUY2", "Y42B", "RGB", "BGRx"),
                         [](const auto& format) { return std::string(format.param); });

class CroppedStages : public testing::TestWithParam<std::string> {};

// The same as on a frame of the size that is seen.
TEST_P(CroppedStages, SeeThePartThatIsSeen) {
  const std::string elements = "videocrop left=80 top=41 right=80 bottom=51 ! " + GetParam();
  constexpr FrameSize kSize{320, 300}, kPart{160, 208};
  for (const char* format : {"GRAY8", "I420", "NV12"}) {
    SCOPED_TRACE(format);
    Cropped marked(elements, format, kSize, true), copied(elements, format, kSize, false);
    std::size_t found = 0;
    for (int i = 0; i < 3; ++i) {
      const auto frame = [&] {
        return BufferRef(make_frame(i, {kSize.width, kSize.height}, format));
      };
      const BufferRef seen = marked.process(frame()), expected = copied.process(frame());
      ASSERT_TRUE(seen && expected);
      ASSERT_TRUE(gst_buffer_get_video_crop_meta(seen.get()));
      ASSERT_FALSE(gst_buffer_get_video_crop_meta(expected.get()));
      const FrameResults a = read_results(seen.get(), kPart),
                         b = read_results(expected.get(), kPart);
      ASSERT_EQ(a.objects.size(), b.objects.size());
      for (std::size_t k = 0; k < a.objects.size(); ++k) {
        EXPECT_EQ(a.objects[k].x, b.objects[k].x);
        EXPECT_EQ(a.objects[k].y, b.objects[k].y);
        EXPECT_EQ(a.objects[k].height, b.objects[k].height);
        EXPECT_EQ(a.objects[k].confidence, b.objects[k].confidence);
      }
      ASSERT_EQ(a.motion.size(), b.motion.size());
      for (std::size_t k = 0; k < a.motion.size(); ++k) {
        EXPECT_NEAR(a.motion[k].x, b.motion[k].x, 1e-4);
        EXPECT_NEAR(a.motion[k].y, b.motion[k].y, 1e-4);
        EXPECT_EQ(a.motion[k].dx, b.motion[k].dx);
      }
      found += a.objects.size() + a.motion.size();
    }
    EXPECT_GT(found, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Chains, CroppedStages,
    testing::Values(stages_alone(), bin("mapping=ccc threads=2"),
                    "kltpyramid device=cpu ! kltfeatures device=cpu ! kltflow device=cpu ! "
                    "klttracks"));

TEST(Crop, APartThatIsNoneDrawsNothing) {
  Cropped stream("tandemoverlay ! tandemtrack min-hits=1 ! tandemmeta2json", "I420", kWhole, false);
  for (const auto& [x, width] : {std::pair{0u, 0u}, {1000u, 10u}, {G_MAXUINT, G_MAXUINT}}) {
    BufferRef buffer = stream.blank();
    add_person(buffer, 10, 10);
    GstVideoCropMeta* crop = gst_buffer_add_video_crop_meta(buffer.get());
    crop->x = crop->y = x;
    crop->width = crop->height = width;
    EXPECT_TRUE(stream.process(std::move(buffer)));
  }
}

}  // namespace
}  // namespace tandem::test
