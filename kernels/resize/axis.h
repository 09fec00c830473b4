// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tandem {

/// The weight of each source pixel in each output pixel along one axis, as resize.h defines it.
struct ResizeAxis {
  int source = 0, output = 0;  ///< pixels
  int taps = 0;                ///< source pixels that any one output pixel takes from, at most
  std::vector<int32_t> first;  ///< [output] the first of them
  std::vector<float> weights;  ///< [taps][output], 0 for taps that an output pixel does not use

  ResizeAxis(int source_pixels, int output_pixels);
  const float* weights_of_tap(int t) const {
    return weights.data() + static_cast<std::size_t>(t) * output;
  }

  /// This thread's copy: computed when the sizes are new to the thread. The reference stays good
  /// for one more call; 64 pairs of sizes are kept, the least recent goes.
  static const ResizeAxis& cached(int source, int output);
};

}  // namespace tandem
