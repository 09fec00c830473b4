// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "kernels/opencl/kernel.h"
#include "kernels/plane.h"

/// ViVid stage 2: the votes of each cell of 8x8 pixels, counted by filter.
namespace tandem {

/// The cells of a frame. The grid starts at pixel (1,1), past the border that has no votes.
struct CellGrid {
  static constexpr int kCell = 8;  ///< pixels a side
  int columns = 0;                 ///< (W-2)/8, 0 for narrower frames
  int rows = 0;                    ///< (H-2)/8
  static CellGrid of(int width, int height) {
    return {width < 10 ? 0 : (width - 2) / kCell, height < 10 ? 0 : (height - 2) / kCell};
  }
};

/// histogram[(cy * columns + cx) * filters + k] = sum of the weights of the 64 pixels of cell
/// (cx, cy) whose index is k, for the cell rows `cell_rows`. Cells are disjoint: no halo. An index
/// that is not below `filters` is ignored. Safe from many threads on disjoint rows.
void vivid_histogram_ref(Plane<const uint8_t> index, Plane<const float> weight, int filters,
                         float* histogram, Rows cell_rows);
void vivid_histogram_simd(Plane<const uint8_t> index, Plane<const float> weight, int filters,
                          float* histogram, Rows cell_rows);

/// The same on the device. One thread at a time. Sums in another order: agrees to 1e-5 relative.
class VividHistogramOpenCL {
 public:
  VividHistogramOpenCL(opencl::Context& context, int filters);  ///< throws opencl::Error
  void enqueue(opencl::Queue& queue, const opencl::DevicePlane& index,
               const opencl::DevicePlane& weight, const opencl::DeviceSpan& histogram,
               Rows cell_rows);

 private:
  const int filters_;
  const bool local_bins_;         // else local memory would be one more copy
  const std::size_t cell_bytes_;  // of local memory
  const opencl::Kernel kernel_;
  const std::size_t group_;  // cells
};

}  // namespace tandem
