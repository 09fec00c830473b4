// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/draw/canvas.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace tandem {
namespace {

uint8_t to_sample(double value) {
  return static_cast<uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

Rect part_of(const GstVideoFrame* frame, const Rect& seen) {
  const int64_t width = GST_VIDEO_FRAME_WIDTH(frame), height = GST_VIDEO_FRAME_HEIGHT(frame);
  const int64_t x = std::clamp<int64_t>(seen.x, 0, width);
  const int64_t y = std::clamp<int64_t>(seen.y, 0, height);
  return {x, y, std::clamp<int64_t>(seen.width, 0, width - x),
          std::clamp<int64_t>(seen.height, 0, height - y)};
}

}  // namespace

Canvas::Canvas(GstVideoFrame* frame)
    : Canvas(frame, {0, 0, GST_VIDEO_FRAME_WIDTH(frame), GST_VIDEO_FRAME_HEIGHT(frame)}) {}

Canvas::Canvas(GstVideoFrame* frame, const Rect& seen)
    : frame_(frame), seen_(part_of(frame, seen)), writer_(frame) {
  const GstVideoColorimetry& colorimetry = frame->info.colorimetry;
  if (!gst_video_color_matrix_get_Kr_Kb(colorimetry.matrix, &luma_red_, &luma_blue_)) {
    gst_video_color_matrix_get_Kr_Kb(GST_VIDEO_COLOR_MATRIX_BT601, &luma_red_, &luma_blue_);
  }
  gst_video_color_range_offsets(colorimetry.range, frame->info.finfo, offset_, range_);
}

Canvas::Samples Canvas::samples_of(Color color) const {
  const GstVideoFormatInfo* format = frame_->info.finfo;
  const double red = color.red / 255.0, green = color.green / 255.0, blue = color.blue / 255.0;
  Samples samples;
  if (GST_VIDEO_FORMAT_INFO_IS_RGB(format)) {
    samples = {{color.red, color.green, color.blue}};
  } else {
    const double luma = luma_red_ * red + (1 - luma_red_ - luma_blue_) * green + luma_blue_ * blue;
    samples.value[GST_VIDEO_COMP_Y] = to_sample(offset_[0] + range_[0] * luma);
    if (GST_VIDEO_FORMAT_INFO_IS_YUV(format)) {
      const double cb = (blue - luma) / (2 * (1 - luma_blue_));
      const double cr = (red - luma) / (2 * (1 - luma_red_));
      samples.value[GST_VIDEO_COMP_U] = to_sample(offset_[1] + range_[1] * cb);
      samples.value[GST_VIDEO_COMP_V] = to_sample(offset_[2] + range_[2] * cr);
    }
  }
  if (GST_VIDEO_FORMAT_INFO_HAS_ALPHA(format)) samples.value[GST_VIDEO_COMP_A] = 255;
  return samples;
}

void Canvas::fill_samples(Rect area, const Samples& samples) {
  const auto column = [&](int64_t x) {
    return static_cast<int>(seen_.x + std::clamp<int64_t>(x, 0, seen_.width));
  };
  const auto row = [&](int64_t y) {
    return static_cast<int>(seen_.y + std::clamp<int64_t>(y, 0, seen_.height));
  };
  const SampleWriter::Pixels seen = {column(area.x), row(area.y), column(area.x + area.width),
                                     row(area.y + area.height)};
  if (seen.x0 < seen.x1 && seen.y0 < seen.y1) writer_.fill(seen, samples);
}

void Canvas::fill(Rect area, Color color) { fill_samples(area, samples_of(color)); }

void Canvas::outline(Rect box, int line_width, Color color) {
  if (box.width <= 0 || box.height <= 0) return;
  const Samples samples = samples_of(color);
  const int64_t thick_x = std::min<int64_t>(line_width, box.width);
  const int64_t thick_y = std::min<int64_t>(line_width, box.height);
  fill_samples({box.x, box.y, box.width, thick_y}, samples);
  fill_samples({box.x, box.y + box.height - thick_y, box.width, thick_y}, samples);
  fill_samples({box.x, box.y, thick_x, box.height}, samples);
  fill_samples({box.x + box.width - thick_x, box.y, thick_x, box.height}, samples);
}

void Canvas::line(int64_t x0, int64_t y0, int64_t x1, int64_t y1, int line_width, Color color) {
  const Samples samples = samples_of(color);
  const int64_t dx = x1 - x0, dy = y1 - y0;
  const int64_t steps = std::max<int64_t>(1, std::max(std::abs(dx), std::abs(dy)));
  for (int64_t i = 0; i <= std::min<int64_t>(steps, kLongestLine); ++i) {
    fill_samples({x0 + dx * i / steps - line_width / 2, y0 + dy * i / steps - line_width / 2,
                  line_width, line_width},
                 samples);
  }
}

void Canvas::blend(int64_t x, int64_t y, const Coverage& coverage, Color color) {
  if (x >= width() || y >= height() || x + coverage.width <= 0 || y + coverage.height <= 0) return;
  writer_.mix(static_cast<int>(seen_.x + x), static_cast<int>(seen_.y + y), coverage,
              samples_of(color));
}

}  // namespace tandem
