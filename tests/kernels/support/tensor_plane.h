// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"
#include "kernels/util/plane_offset.h"

namespace tandem::check {

/// A dense plane for benches, which lies as the tensor of this number does inside a bin.
template <typename T>
class TensorPlane {
 public:
  TensorPlane(int width, int height, unsigned number)
      : width_(width),
        height_(height),
        buffer_(nullptr, sizeof(T) * static_cast<std::size_t>(width) * height,
                plane_offset(number)) {}

  Plane<T> plane() {
    return {static_cast<T*>(buffer_.host(opencl::Buffer::Access::read_write)), width_, height_,
            width_};
  }
  T* row(int y) { return plane().row(y); }
  int width() const { return width_; }
  int height() const { return height_; }

 private:
  int width_, height_;
  opencl::Buffer buffer_;
};

}  // namespace tandem::check
