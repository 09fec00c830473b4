// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"

/// pipelines/stages/sobel.cl as one would write it by hand for each side: what the bench of stage
/// files compares with. Outside of the frame are the nearest pixels of its border.
namespace tandem {

/// With Highway, all rows on this thread. `threshold` is at most 2040.
void sobel_by_hand(Plane<const uint8_t> luma, int threshold, Plane<uint8_t> edges);

/// A work-item a pixel. Planes are dense.
class SobelOnDevice {
 public:
  explicit SobelOnDevice(opencl::Context& context);  ///< throws opencl::Error
  ~SobelOnDevice();
  void enqueue(opencl::Queue& queue, void* luma, void* edges, int width, int height,
               int threshold) const;

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem
