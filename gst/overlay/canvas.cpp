// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/overlay/canvas.h"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <cstring>

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

// A component in the rows of its plane.
struct SampleWriter::Component {
  int byte_of(int x) const { return offset + (x >> shift_x) * step; }

  guint number;
  int offset, step;  // bytes: the first sample, and from one to the next
  int shift_x;
};

struct SampleWriter::Plane {
  Plane(GstVideoFrame* frame, guint plane)
      : data(static_cast<uint8_t*>(GST_VIDEO_FRAME_PLANE_DATA(frame, plane))),
        stride(GST_VIDEO_FRAME_PLANE_STRIDE(frame, plane)) {
    const GstVideoFormatInfo* format = frame->info.finfo;
    for (guint c = 0; c < GST_VIDEO_FRAME_N_COMPONENTS(frame); ++c) {
      if (GST_VIDEO_FORMAT_INFO_PLANE(format, c) != plane) continue;
      components[count++] = {c, static_cast<int>(GST_VIDEO_FORMAT_INFO_POFFSET(format, c)),
                             GST_VIDEO_FRAME_COMP_PSTRIDE(frame, c),
                             static_cast<int>(GST_VIDEO_FORMAT_INFO_W_SUB(format, c))};
      shift_x = std::max(shift_x, components[count - 1].shift_x);
      shift_y = GST_VIDEO_FORMAT_INFO_H_SUB(format, c);
      group = std::max(group, components[count - 1].step);
    }
  }
  // Whether a group has several samples of some component, as in YUY2.
  bool apart() const {
    return std::any_of(begin(), end(), [&](const Component& c) { return c.shift_x < shift_x; });
  }
  uint8_t* row(int y) const { return data + y * stride; }
  void write(uint8_t* row, int x, const Samples& samples) const {
    for (const Component& c : *this) row[c.byte_of(x)] = samples.value[c.number];
  }
  const Component* begin() const { return components; }
  const Component* end() const { return components + count; }

  uint8_t* data;
  std::ptrdiff_t stride;
  int shift_x = 0, shift_y = 0;  // of the component with the fewest samples
  int group = 0;                 // bytes from one of its samples to the next
  int count = 0;
  Component components[GST_VIDEO_MAX_COMPONENTS];
};

namespace {

// The means of `count` times so many sums, of 2^shift values each.
template <int kColumns>
void add_columns(const uint16_t* sums, int count, int shift, uint8_t* means) {
  for (int i = 0; i < count; ++i, sums += kColumns) {
    int sum = 0;
    for (int column = 0; column < kColumns; ++column) sum += sums[column];
    means[i] = static_cast<uint8_t>(sum >> shift);
  }
}

// `coverage` at (x, y) by samples of 2^shift_x by 2^shift_y pixels: the means, the first of which
// is of the sample at (x >> shift_x, y >> shift_y).
Coverage shrink(const Coverage& coverage, int x, int y, int shift_x, int shift_y) {
  const int columns = 1 << shift_x, rows = 1 << shift_y;
  const int skipped_x = x & (columns - 1), skipped_y = y & (rows - 1);
  Coverage shrunk;
  shrunk.width = (skipped_x + coverage.width + columns - 1) >> shift_x;
  shrunk.height = (skipped_y + coverage.height + rows - 1) >> shift_y;
  shrunk.values.resize(std::size_t(shrunk.width) * shrunk.height);
  uint8_t* means = shrunk.values.data();
  const auto add = columns == 1 ? add_columns<1> : columns == 2 ? add_columns<2> : add_columns<4>;
  std::vector<uint16_t> sums(std::size_t(shrunk.width) * columns);
  for (int row = -skipped_y; row < coverage.height; row += rows) {
    std::fill(sums.begin(), sums.end(), uint16_t{0});
    for (int r = std::max(0, row); r < std::min(coverage.height, row + rows); ++r) {
      const uint8_t* values = coverage.values.data() + std::ptrdiff_t(r) * coverage.width;
      for (int i = 0; i < coverage.width; ++i) sums[skipped_x + i] += values[i];
    }
    add(sums.data(), shrunk.width, shift_x + shift_y, means);
    means += shrunk.width;
  }
  return shrunk;
}

// `weight` 255ths of `value`, the rest of `sample`, rounded.
uint8_t mixed(uint8_t sample, uint8_t value, uint8_t weight) {
  const auto sum = static_cast<uint16_t>(sample * (255 - weight) + value * weight + 128);
  return static_cast<uint8_t>((sum + (sum >> 8)) >> 8);
}

// Over all bytes of a row, whatever they are samples of: the compiler does many at a time.
void mix_bytes(uint8_t* bytes, int count, const uint8_t* values, const uint8_t* weights) {
  for (int i = 0; i < count; ++i) bytes[i] = mixed(bytes[i], values[i], weights[i]);
}

void fill_row(uint8_t* first, int count, int step, uint8_t value) {
  if (step == 1) {
    std::memset(first, value, count);
    return;
  }
  for (int i = 0; i < count; ++i) first[i * step] = value;
}

}  // namespace

SampleWriter::Bytes SampleWriter::begin_row(const Plane& plane, const Pixels& area,
                                            const Samples& samples) {
  Bytes bytes = {INT_MAX, 0};
  for (const Component& component : plane) {
    bytes.begin = std::min(bytes.begin, component.byte_of(area.x0));
    bytes.end = std::max(bytes.end, component.byte_of(area.x1 - 1) + 1);
  }
  values_.assign(bytes.end - bytes.begin, 0);
  weights_.assign(bytes.end - bytes.begin, 0);
  for (const Component& component : plane) {
    for (int i = component.byte_of(area.x0); i <= component.byte_of(area.x1 - 1);
         i += component.step) {
      values_[i - bytes.begin] = samples.value[component.number];
    }
  }
  return bytes;
}

// The bytes of whole groups, which lie in a row without gaps.
void SampleWriter::prepare_groups(const Plane& plane, int groups, const Samples& samples) {
  values_.assign(std::size_t(groups) * plane.group, 255);
  for (const Component& component : plane) {
    fill_row(values_.data() + component.offset, groups << (plane.shift_x - component.shift_x),
             component.step, samples.value[component.number]);
  }
}

// Most of the time goes into rows that are not in the cache: each is visited once.
void SampleWriter::fill(const Pixels& area, const Samples& samples) {
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES(frame_); ++p) {
    const Plane plane(frame_, p);
    // Pixels at the sides may share a group with others, which are not filled.
    const int others = plane.apart() ? (1 << plane.shift_x) - 1 : 0;
    const int x0 = std::min((area.x0 + others) & ~others, area.x1);
    const int x1 = std::max(area.x1 & ~others, x0);
    const int first = x0 >> plane.shift_x;
    prepare_groups(plane, x0 < x1 ? ((x1 - 1) >> plane.shift_x) - first + 1 : 0, samples);
    for (int y = area.y0 >> plane.shift_y; y <= (area.y1 - 1) >> plane.shift_y; ++y) {
      uint8_t* row = plane.row(y);
      std::copy(values_.begin(), values_.end(), row + std::ptrdiff_t(first) * plane.group);
      for (int x = area.x0; x < x0; ++x) plane.write(row, x, samples);
      for (int x = x1; x < area.x1; ++x) plane.write(row, x, samples);
    }
  }
}

void SampleWriter::mix(int x, int y, const Coverage& coverage, const Samples& samples) {
  const Pixels seen = {std::max(0, x), std::max(0, y),
                       std::min(GST_VIDEO_FRAME_WIDTH(frame_), x + coverage.width),
                       std::min(GST_VIDEO_FRAME_HEIGHT(frame_), y + coverage.height)};
  if (seen.x0 >= seen.x1 || seen.y0 >= seen.y1) return;
  Coverage shrunk;
  for (guint p = 0; p < GST_VIDEO_FRAME_N_PLANES(frame_); ++p) {
    const Plane plane(frame_, p);
    const Bytes bytes = begin_row(plane, seen, samples);
    for (int row = seen.y0 >> plane.shift_y; row <= (seen.y1 - 1) >> plane.shift_y; ++row) {
      for (const Component& component : plane) {
        const bool whole = component.shift_x == 0 && plane.shift_y == 0;
        if (!whole && shrunk.values.empty())
          shrunk = shrink(coverage, x, y, component.shift_x, plane.shift_y);
        const Coverage& source = whole ? coverage : shrunk;
        const uint8_t* weights = source.values.data() +
                                 std::ptrdiff_t(row - (y >> plane.shift_y)) * source.width +
                                 (seen.x0 >> component.shift_x) - (x >> component.shift_x);
        const int count = ((seen.x1 - 1) >> component.shift_x) - (seen.x0 >> component.shift_x) + 1;
        uint8_t* first = weights_.data() + component.byte_of(seen.x0) - bytes.begin;
        for (int i = 0; i < count; ++i) first[i * component.step] = weights[i];
      }
      mix_bytes(plane.row(row) + bytes.begin, bytes.count(), values_.data(), weights_.data());
    }
  }
}

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
