// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>

#include "kernels/vivid_filter/vivid_filter.h"

namespace tandem {
namespace {

float response(Plane<const uint8_t> luma, const float* filter, int x, int y) {
  float sum = 0;
  for (int i = 0; i < 9; ++i) {
    const float intensity = luma.row(y + i / 3 - 1)[x + i % 3 - 1] / 255.0f;
    // The first product is rounded alone: the same as a fused multiply-add to zero.
    sum = i == 0 ? filter[0] * intensity : std::fma(filter[i], intensity, sum);
  }
  return sum;
}

}  // namespace

void vivid_filter_ref(Plane<const uint8_t> luma, const FilterBank& bank, Plane<uint8_t> index,
                      Plane<float> weight, Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = 0; x < luma.width; ++x) {
      int strongest = 0;
      float strength = 0;
      const bool border = x == 0 || y == 0 || x == luma.width - 1 || y == luma.height - 1;
      for (int k = 0; !border && k < bank.count; ++k) {
        const float r = std::fabs(response(luma, &bank.coefficients[9 * k], x, y));
        if (r > strength) {
          strongest = k;
          strength = r;
        }
      }
      index.row(y)[x] = static_cast<uint8_t>(strongest);
      weight.row(y)[x] = strength;
    }
  }
}

}  // namespace tandem
