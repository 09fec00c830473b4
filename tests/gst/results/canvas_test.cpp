// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/overlay/canvas.h"

#include <gst/gst.h>
#include <gst/video/video.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

namespace tandem {
namespace {

const char* const kFormats[] = {"GRAY8", "I420", "YV12", "NV12", "NV21", "YUY2", "UYVY",
                                "YVYU",  "Y42B", "Y444", "RGB",  "BGR",  "RGBx", "BGRx",
                                "xRGB",  "xBGR", "RGBA", "BGRA", "ARGB", "ABGR"};
constexpr uint8_t kBlank = 7;
const Coverage kSolid = {5, 4, std::vector<uint8_t>(20, 255)};

// A frame of `kBlank` bytes, each plane in memory of its own so that a sanitizer sees every byte
// written outside of it.
class TestFrame {
 public:
  TestFrame(const char* format, int width, int height) {
    GstVideoInfo info;
    gst_video_info_set_format(&info, gst_video_format_from_string(format), width, height);
    frame_.info = info;
    for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&info); ++p) {
      const guint end =
          p + 1 < GST_VIDEO_INFO_N_PLANES(&info) ? info.offset[p + 1] : guint(info.size);
      planes_.emplace_back(end - info.offset[p], kBlank);
      frame_.data[p] = planes_.back().data();
    }
  }
  GstVideoFrame* get() { return &frame_; }
  const std::vector<std::vector<uint8_t>>& planes() const { return planes_; }
  bool blank() const {
    for (const auto& plane : planes_)
      for (uint8_t value : plane)
        if (value != kBlank) return false;
    return true;
  }
  uint8_t sample(int component, int x, int y) {
    const GstVideoFormatInfo* format = frame_.info.finfo;
    const uint8_t* data = static_cast<uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&frame_, component));
    return data[(y >> GST_VIDEO_FORMAT_INFO_H_SUB(format, component)) *
                    GST_VIDEO_FRAME_COMP_STRIDE(&frame_, component) +
                (x >> GST_VIDEO_FORMAT_INFO_W_SUB(format, component)) *
                    GST_VIDEO_FRAME_COMP_PSTRIDE(&frame_, component)];
  }

 private:
  GstVideoFrame frame_ = {};
  std::vector<std::vector<uint8_t>> planes_;
};

class CanvasFormat : public testing::TestWithParam<const char*> {};

// What GStreamer's own converter makes of one colour, as samples of `format`.
std::vector<uint8_t> converted(const char* format, Color color) {
  GstVideoInfo rgb, out;
  gst_video_info_set_format(&rgb, GST_VIDEO_FORMAT_RGB, 8, 8);
  gst_video_info_set_format(&out, gst_video_format_from_string(format), 8, 8);
  std::vector<uint8_t> in_pixels(rgb.size), out_pixels(out.size);
  GstVideoFrame in_frame = {}, out_frame = {};
  in_frame.info = rgb;
  in_frame.data[0] = in_pixels.data();
  out_frame.info = out;
  for (guint p = 0; p < GST_VIDEO_INFO_N_PLANES(&out); ++p)
    out_frame.data[p] = out_pixels.data() + out.offset[p];
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 8; ++x) {
      uint8_t* pixel = in_pixels.data() + y * GST_VIDEO_INFO_PLANE_STRIDE(&rgb, 0) + 3 * x;
      pixel[0] = color.red, pixel[1] = color.green, pixel[2] = color.blue;
    }
  GstVideoConverter* converter = gst_video_converter_new(&rgb, &out, nullptr);
  gst_video_converter_frame(converter, &in_frame, &out_frame);
  gst_video_converter_free(converter);
  std::vector<uint8_t> samples;
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(&out_frame); ++c)
    samples.push_back(*static_cast<uint8_t*>(GST_VIDEO_FRAME_COMP_DATA(&out_frame, c)));
  return samples;
}

TEST_P(CanvasFormat, FillTouchesTheRectangleAndNothingElse) {
  TestFrame frame(GetParam(), 16, 12);
  const Color color = {200, 30, 90};
  Canvas(frame.get()).fill({4, 2, 6, 8}, color);
  const std::vector<uint8_t> expected = converted(GetParam(), color);
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(frame.get()); ++c) {
    for (int y = 0; y < 12; ++y) {
      for (int x = 0; x < 16; ++x) {
        const bool inside = x >= 4 && x < 10 && y >= 2 && y < 10;
        const int sample = frame.sample(c, x, y);
        if (inside) {
          EXPECT_NEAR(sample, expected[c], 2) << "component " << c << " at " << x << "," << y;
        } else {
          EXPECT_EQ(sample, kBlank) << "component " << c << " at " << x << "," << y;
        }
      }
    }
  }
}

TEST_P(CanvasFormat, OddRectanglesCoverTheirPixels) {
  TestFrame frame(GetParam(), 15, 11);
  const Color color = {250, 250, 250};
  Canvas(frame.get()).fill({13, 9, 2, 2}, color);
  const std::vector<uint8_t> expected = converted(GetParam(), color);
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(frame.get()); ++c) {
    EXPECT_NEAR(frame.sample(c, 13, 9), expected[c], 2);
    EXPECT_NEAR(frame.sample(c, 14, 10), expected[c], 2);
    EXPECT_EQ(frame.sample(c, 11, 10), kBlank);
    EXPECT_EQ(frame.sample(c, 14, 7), kBlank);
  }
}

// A sample is written when one of its pixels is, and no other: wherever the rectangle begins and
// ends.
TEST_P(CanvasFormat, EveryRectangleTouchesItsSamplesAlone) {
  const int width = 13, height = 5;
  for (int x0 = 0; x0 < width; ++x0) {
    for (int x1 = x0 + 1; x1 <= width; ++x1) {
      TestFrame frame(GetParam(), width, height);
      Canvas(frame.get()).fill({x0, 1, x1 - x0, 2}, {250, 20, 130});
      for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(frame.get()); ++c) {
        const GstVideoFormatInfo* format = frame.get()->info.finfo;
        const int shift_x = GST_VIDEO_FORMAT_INFO_W_SUB(format, c);
        const int shift_y = GST_VIDEO_FORMAT_INFO_H_SUB(format, c);
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) {
            const int left = x >> shift_x << shift_x, top = y >> shift_y << shift_y;
            const bool touched =
                left < x1 && left + (1 << shift_x) > x0 && top < 3 && top + (1 << shift_y) > 1;
            ASSERT_EQ(frame.sample(c, x, y) != kBlank, touched)
                << "component " << c << " at " << x << "," << y << ", from " << x0 << " to " << x1;
          }
        }
      }
    }
  }
}

TEST_P(CanvasFormat, WhatIsCoveredWhollyIsFilled) {
  for (int x = -2; x < 15; ++x) {
    for (int y = -2; y < 11; ++y) {
      TestFrame blended(GetParam(), 15, 11), filled(GetParam(), 15, 11);
      const Color color = {250, 20, 130};
      Canvas(blended.get()).blend(x, y, kSolid, color);
      Canvas(filled.get()).fill({x, y, kSolid.width, kSolid.height}, color);
      const guint components = GST_VIDEO_FRAME_N_COMPONENTS(blended.get());
      for (guint c = 0; c < components; ++c) {
        const GstVideoFormatInfo* format = blended.get()->info.finfo;
        const int shift_x = GST_VIDEO_FORMAT_INFO_W_SUB(format, c);
        const int shift_y = GST_VIDEO_FORMAT_INFO_H_SUB(format, c);
        for (int row = 0; row < 11; ++row) {
          for (int column = 0; column < 15; ++column) {
            // A sample at the border is covered in part, and mixed.
            const int left = column >> shift_x << shift_x, top = row >> shift_y << shift_y;
            const bool inside = left >= x && left + (1 << shift_x) <= x + kSolid.width &&
                                top >= y && top + (1 << shift_y) <= y + kSolid.height;
            const bool outside = left >= x + kSolid.width || left + (1 << shift_x) <= x ||
                                 top >= y + kSolid.height || top + (1 << shift_y) <= y;
            const int sample = blended.sample(c, column, row);
            const int full = filled.sample(c, column, row);
            if (inside || outside) {
              EXPECT_EQ(sample, full) << "component " << c << " at " << column << "," << row;
            } else {
              EXPECT_GE(sample, std::min<int>(kBlank, full));
              EXPECT_LE(sample, std::max<int>(kBlank, full));
            }
          }
        }
      }
    }
  }
}

TEST_P(CanvasFormat, CoverageMixesByItsMean) {
  TestFrame frame(GetParam(), 8, 8);
  const Coverage half = {4, 4, std::vector<uint8_t>(16, 128)};
  Canvas(frame.get()).blend(2, 2, half, {255, 255, 255});
  const std::vector<uint8_t> white = converted(GetParam(), {255, 255, 255});
  for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(frame.get()); ++c)
    EXPECT_NEAR(frame.sample(c, 3, 3), (white[c] + kBlank) / 2, 2) << "component " << c;
}

TEST_P(CanvasFormat, OnePixelFrame) {
  TestFrame frame(GetParam(), 1, 1);
  Canvas canvas(frame.get());
  canvas.outline({0, 0, 1, 1}, 3, {255, 255, 255});
  EXPECT_GE(frame.sample(0, 0, 0), 235);
  canvas.blend(0, 0, kSolid, {0, 0, 0});
  canvas.fill({-100, -100, 1000, 1000}, {0, 0, 0});
  EXPECT_LE(frame.sample(0, 0, 0), 16);
}

TEST_P(CanvasFormat, OutsideOfTheFrameNothingIsDrawn) {
  TestFrame frame(GetParam(), 17, 13);
  Canvas canvas(frame.get());
  const int64_t huge = int64_t{UINT32_MAX};
  const Rect outside[] = {
      {17, 0, 5, 5}, {0, 13, 5, 5}, {-6, 0, 6, 6}, {0, -6, 6, 6}, {huge, huge, huge, huge},
      {3, 3, 0, 5},  {3, 3, 5, 0},  {3, 3, -4, -4}};
  for (const Rect& box : outside) {
    canvas.fill(box, {255, 255, 255});
    canvas.outline(box, 4, {255, 255, 255});
  }
  const int64_t corners[][2] = {{-5, 2}, {2, 13}, {17, 2}, {2, -4}, {-huge, -huge}, {huge, huge}};
  for (const auto& [x, y] : corners) canvas.blend(x, y, kSolid, {255, 255, 255});
  EXPECT_TRUE(frame.blank());
}

TEST_P(CanvasFormat, PartlyOutsideIsClipped) {
  for (int64_t x : {-3, 0, 14}) {
    for (int64_t y : {-3, 0, 10}) {
      TestFrame frame(GetParam(), 17, 13);
      Canvas canvas(frame.get());
      canvas.outline({x, y, 6, 6}, 1, {255, 255, 255});
      EXPECT_FALSE(frame.blank());
      canvas.blend(x, y, kSolid, {255, 255, 255});
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Formats, CanvasFormat, testing::ValuesIn(kFormats),
                         [](const auto& format) { return std::string(format.param); });

TEST(Canvas, OutlineLeavesTheInsideAlone) {
  TestFrame frame("GRAY8", 20, 20);
  Canvas(frame.get()).outline({2, 3, 10, 12}, 2, {255, 255, 255});
  for (int y = 0; y < 20; ++y) {
    for (int x = 0; x < 20; ++x) {
      const bool box = x >= 2 && x < 12 && y >= 3 && y < 15;
      const bool inside = x >= 4 && x < 10 && y >= 5 && y < 13;
      EXPECT_EQ(frame.sample(0, x, y) != kBlank, box && !inside) << x << "," << y;
    }
  }
}

TEST(Canvas, FullRangeLumaReachesWhite) {
  TestFrame frame("I420", 4, 4);
  gst_video_colorimetry_from_string(&frame.get()->info.colorimetry, "1:4:0:0");
  Canvas(frame.get()).fill({0, 0, 4, 4}, {255, 255, 255});
  EXPECT_EQ(frame.sample(GST_VIDEO_COMP_Y, 0, 0), 255);
  EXPECT_EQ(frame.sample(GST_VIDEO_COMP_U, 0, 0), 128);
}

}  // namespace
}  // namespace tandem

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  gst_init(nullptr, nullptr);
  return RUN_ALL_TESTS();
}
