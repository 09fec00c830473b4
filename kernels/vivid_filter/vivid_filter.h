// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/opencl/kernel.h"
#include "kernels/plane.h"

/// ViVid stage 1: every pixel votes for the filter that answers it most strongly.
/// Source: Dikmen, Hoiem, Huang, "A data driven method for feature transformation", CVPR 2012.
namespace tandem {

/// K filters of 3x3 coefficients by rows: coefficient (k, dy, dx) is `[9 k + 3 (dy+1) + dx+1]`.
struct FilterBank {
  int count = 0;  ///< K, 1 ... 255
  std::vector<float> coefficients;
};

/// For every pixel of `rows` that is not on the border of the frame, with I = luma / 255:
///   r_k = sum F_k[dy][dx] I[y+dy][x+dx]   (correlation, fused multiply-adds in row-major order)
///   index = argmax |r_k| (lowest k on ties), weight = max |r_k|.
/// Border pixels have no vote: index 0, weight 0. Reads one row above and below `rows` (halo 1).
/// `index` and `weight` have the size of `luma`; frames down to 1x1 are allowed. Safe from many
/// threads on disjoint rows. Where the target has fused multiply-adds the results are exact copies
/// of the reference; elsewhere weights agree to 1e-5.
void vivid_filter_ref(Plane<const uint8_t> luma, const FilterBank& bank, Plane<uint8_t> index,
                      Plane<float> weight, Rows rows);
void vivid_filter_simd(Plane<const uint8_t> luma, const FilterBank& bank, Plane<uint8_t> index,
                       Plane<float> weight, Rows rows);

/// The same on the device. One thread at a time.
class VividFilterOpenCL {
 public:
  VividFilterOpenCL(opencl::Context& context, const FilterBank& bank);  ///< throws opencl::Error
  void enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
               const opencl::DevicePlane& index, const opencl::DevicePlane& weight, Rows rows);

 private:
  /// How the kernel cuts the frame; the numbers that it is built with.
  struct Plan {
    explicit Plan(const opencl::DeviceDescription& device);
    int columns = 1, rows = 1;  // of a work-item
    int together = 1;           // filters of a maximum; the bank is padded to a multiple of it
    std::string options;
  };

  const Plan plan_;
  const opencl::ConstantData coefficients_;
  const int filters_;
  const opencl::LocalMemory shared_;
  const opencl::Kernel kernel_;
};

}  // namespace tandem
