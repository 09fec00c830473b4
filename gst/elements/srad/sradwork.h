// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <memory>

#include "gst/elements/splitwork.h"
#include "kernels/srad/srad.h"

/// Shared by the six SRAD stages: their tensors, and the shape of their work.
namespace tandem {

/// float32 [height, width]: the image, between 1 and e.
inline constexpr char kSradImage[] = "srad-image";
/// float32 [height, width]: its squares.
inline constexpr char kSradSquares[] = "srad-squares";
/// float32 [2]: its mean, and its variance divided by the squared mean.
inline constexpr char kSradStatistics[] = "srad-statistics";
/// float32 [2, height, width]: neighbour less pixel, to the south and to the east.
inline constexpr char kSradDifferences[] = "srad-differences";
/// float32 [height, width]: the diffusion coefficient, between 0 and 1.
inline constexpr char kSradCoefficient[] = "srad-coefficient";

using SradKernels = std::shared_ptr<const SradOpenCL>;

class SradWork : public SplitWork {
 public:
  /// `kernels` are null without a device. Throws std::runtime_error when one of the tensors that
  /// are images is not of the frame's size.
  SradWork(SradKernels kernels, const WorkRequest& request);

  int rows() const override { return height_; }

 protected:
  TensorSpec image_spec(const char* name) const {
    return TensorSpec::of<float>(name, height_, width_);
  }
  TensorSpec luma_spec() const {
    return TensorSpec::of_pixels("luma", width_, height_, kernels_ != nullptr);
  }

  template <typename T>
  Plane<T> plane(T* data, int planes = 1) const {
    return {data, width_, planes * height_, width_};
  }
  opencl::DevicePlane plane(void* mem, int planes = 1) const {
    return {mem, 0, width_, planes * height_, width_};
  }
  /// The rows and so many above and below, within the image.
  Rows widened(Rows rows, int above, int below) const {
    if (rows.count() <= 0) return {};
    return {std::max(0, rows.begin - above), std::min(height_, rows.end + below)};
  }

  const SradKernels kernels_;
  const int width_, height_;
};

}  // namespace tandem
