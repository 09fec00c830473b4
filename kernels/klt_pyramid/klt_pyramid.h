// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "kernels/opencl/kernel.h"
#include "kernels/plane.h"
#include "kernels/util/plane_offset.h"

/// Tracking stage 1: the blurred frame at two sizes, and the gradients of both.
/// Source: the tracking benchmark of the San Diego Vision Benchmark Suite (Venkata et al., IISWC
/// 2009), whose results it reproduces: hence the borders of zeros. The benchmark's gradients have
/// the opposite sign, which makes its third stage step away from the motion.
namespace tandem {

/// One size of a frame: the blurred image and its gradients. These are half the difference of the
/// neighbours, right minus left and below minus above, smoothed by [1 2 1]/4 across.
template <typename T>
struct KltLevel {
  Plane<T> image, dx, dy;
  operator KltLevel<const T>() const { return {image, dx, dy}; }
};

/// Level 0 has the frame's size, level 1 half of it, rounded up.
template <typename T>
struct KltPyramid {
  static constexpr int kLevels = 2;
  std::array<KltLevel<T>, kLevels> levels;
  operator KltPyramid<const T>() const { return {{levels[0], levels[1]}}; }
};

/// A frame's pyramid in one array of floats: image, dx and dy of level 0, then of level 1. Rows
/// begin at cache lines, so that vectors as long as these cross none, and planes at different
/// places of 4 KiB, see plane_offset(). The gaps are not written. klt_pyramid_layout.cl has
/// the same.
struct KltLayout {
  int width = 0, height = 0;  ///< of the frame, pixels

  int width_of(int level) const { return level == 0 ? width : (width + 1) / 2; }
  int height_of(int level) const { return level == 0 ? height : (height + 1) / 2; }
  std::size_t pixels_of(int level) const {
    return static_cast<std::size_t>(width_of(level)) * static_cast<std::size_t>(height_of(level));
  }
  /// From one row to the next.
  int stride_of(int level) const { return (width_of(level) + kLine - 1) / kLine * kLine; }
  /// From one plane to the next.
  std::size_t plane_of(int level) const {
    const int lines = stride_of(level) / kLine * height_of(level);
    return static_cast<std::size_t>((lines + kLines - 1 - kApart) / kLines * kLines + kApart) *
           kLine;
  }
  std::size_t floats() const { return 3 * (plane_of(0) + plane_of(1)); }
  /// Where a plane starts: 0 the image, 1 dx, 2 dy.
  std::size_t first(int level, int plane) const {
    return (level == 0 ? 0 : 3 * plane_of(0)) + static_cast<std::size_t>(plane) * plane_of(level);
  }

  template <typename T>
  KltPyramid<T> over(T* data) const {
    const auto level = [&](int l) {
      const auto plane = [&](int p) {
        return Plane<T>{data + first(l, p), width_of(l), height_of(l), stride_of(l)};
      };
      return KltLevel<T>{plane(0), plane(1), plane(2)};
    };
    return {{level(0), level(1)}};
  }

 private:
  // Floats of a cache line, lines of 4 KiB, and how many of those planes lie apart.
  static constexpr int kLine = 16, kLines = 64, kApart = static_cast<int>(plane_offset(1)) / 64;
};

/// Computes the rows `rows` of level 0, and the rows of level 1 that lie at twice their number.
///   image 0: the luma blurred by [1 4 6 4 1]/16 in x, then in y, where 2 <= x < W-2 and
///            2 <= y < H-2 in either pass, else 0
///   image 1: image 0 blurred in the same way, at x = 2, 4, 6 ... and y = 2, 4, 6 ...
///   dx, dy:  0 on the border of one pixel in either pass
/// Frames down to 1x1 are allowed. Safe from many threads on disjoint rows; allocates nothing once
/// a thread has seen the width. The fast version agrees to 1e-4.
void klt_pyramid_ref(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows);
void klt_pyramid_simd(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows);

/// The same on the device, all rows. One thread at a time. `pyramid` is laid out as KltLayout says
/// for the luma's size.
class KltPyramidOpenCL {
 public:
  explicit KltPyramidOpenCL(opencl::Context& context);  ///< throws opencl::Error
  void enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
               const opencl::DeviceSpan& pyramid);

 private:
  std::size_t items(int width, int height) const;

  const bool in_tiles_;
  int run_ = 1;  // pixels a work-item
  std::optional<opencl::Kernel> all_, luma_, half_, gradients_;
  std::size_t group_ = 1;
};

}  // namespace tandem
