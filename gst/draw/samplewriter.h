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

  /// Those of pixels [x0, x1) x [y0, y1), which lie in the frame and are at least one.
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
  /// Of a row of a plane.
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

}  // namespace tandem
