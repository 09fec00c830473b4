// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <cstdint>
#include <vector>

namespace tandem {

/// Coverage of each pixel, 0 to 255, row after row without gaps.
struct Coverage {
  int width = 0, height = 0;
  std::vector<uint8_t> values;
};

/// Writes samples into the planes of a mapped frame whose samples are bytes. Components of a plane
/// are subsampled alike from row to row.
class SampleWriter {
 public:
  /// A sample of each component of the frame.
  struct Samples {
    uint8_t value[GST_VIDEO_MAX_COMPONENTS] = {};
  };

  explicit SampleWriter(GstVideoFrame* frame) : frame_(frame) {}

  /// At least one pixel, and all of them in the frame. The ends x1 and y1 are exclusive.
  struct Pixels {
    int x0, y0, x1, y1;
  };
  void fill(const Pixels& area, const Samples& samples);

  /// Mixes `samples` into those under `coverage`, whose top left is at pixel (x, y) and may lie
  /// outside of the frame.
  void mix(int x, int y, const Coverage& coverage, const Samples& samples);

 private:
  struct Component;
  struct Plane;
  /// A part of a row of a plane.
  struct Bytes {
    int begin, end;
    int count() const { return end - begin; }
  };
  /// Prepares values_ for so many groups of samples that lie beside each other.
  void prepare_groups(const Plane& plane, int groups, const Samples& samples);
  /// Prepares values_ for the columns of `area`, and weights_ of 0 for what lies between samples.
  Bytes begin_row(const Plane& plane, const Pixels& area, const Samples& samples);

  GstVideoFrame* frame_;
  std::vector<uint8_t> values_, weights_;
};

struct Color {
  uint8_t red = 0, green = 0, blue = 0;
};

/// Pixels [x, x + width) x [y, y + height); may lie partly or wholly outside of a frame.
struct Rect {
  int64_t x = 0, y = 0, width = 0, height = 0;
};

/// Draws on a mapped frame of any 8-bit raw format without palette or tiles: grey, planar and
/// packed YUV, RGB in every order. Everything is clipped to the frame, and only pixels that are
/// drawn are touched. A chroma sample belongs to every pixel it covers: colours spread by at most
/// one pixel where chroma is subsampled.
class Canvas {
 public:
  /// `frame` is mapped for writing and outlives the canvas; its format is supported.
  explicit Canvas(GstVideoFrame* frame);
  /// The part `seen` of the frame, as far as it lies inside: the canvas begins at its top left.
  /// Letters may reach a little beyond its edges.
  Canvas(GstVideoFrame* frame, const Rect& seen);

  int width() const { return static_cast<int>(seen_.width); }
  int height() const { return static_cast<int>(seen_.height); }

  void fill(Rect area, Color color);

  /// The border of `box`, `line_width` pixels thick and inside of it. Nothing when it is empty.
  void outline(Rect box, int line_width, Color color);

  /// A line between two points, both included, that is `line_width` pixels thick. Touches at most
  /// kLongestLine points from the first one on; longer lines end there.
  void line(int64_t x0, int64_t y0, int64_t x1, int64_t y1, int line_width, Color color);
  static constexpr int kLongestLine = 1 << 14;

  /// Mixes `color` into the pixels under `coverage`, whose top left is at (x, y). A chroma sample
  /// takes the mean of the pixels that it covers.
  void blend(int64_t x, int64_t y, const Coverage& coverage, Color color);

 private:
  using Samples = SampleWriter::Samples;
  Samples samples_of(Color color) const;
  void fill_samples(Rect area, const Samples& samples);

  GstVideoFrame* frame_;
  Rect seen_;  ///< in the frame
  SampleWriter writer_;
  double luma_red_ = 0, luma_blue_ = 0;  ///< Kr and Kb of the frame's colour matrix
  int offset_[GST_VIDEO_MAX_COMPONENTS] = {}, range_[GST_VIDEO_MAX_COMPONENTS] = {};
};

}  // namespace tandem
