// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "kernels/opencl/kernel.h"
#include "kernels/plane.h"

/// Resamples one 8-bit plane to another size: the levels of an image pyramid.
///
/// Each output pixel is the mean of the source under its footprint (area averaging; the edges of
/// the footprint weigh by the part that they cover). An axis that grows is interpolated linearly
/// between pixel centres instead, clamped at the border. Rounds to nearest.
/// Every output row depends on the source alone, so bands need no halo and no order.
namespace tandem {

/// Computes the rows `rows` of `destination`. Safe from many threads on disjoint rows. Allocates
/// nothing once a thread has seen the size.
void resize_ref(Plane<const uint8_t> source, Plane<uint8_t> destination, Rows rows);
void resize_simd(Plane<const uint8_t> source, Plane<uint8_t> destination, Rows rows);

/// The same on the device. One thread at a time. Within one grey level of the reference.
class ResizeOpenCL {
 public:
  explicit ResizeOpenCL(opencl::Context& context);  ///< throws opencl::Error
  void enqueue(opencl::Queue& queue, const opencl::DevicePlane& source,
               const opencl::DevicePlane& destination, Rows rows);

 private:
  const int run_;  // pixels a work-item
  const opencl::Kernel kernel_;
  const std::size_t group_;
};

}  // namespace tandem
