// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdio>
#include <string>

#include "kernels/vivid_filter/vivid_filter.h"

namespace tandem::check {

/// ViVid's stage 1 as somebody would write it in a stage file: the strongest of the bank's filters
/// for each pixel. Multiply-adds are fused and follow each other as in vivid_filter.h.
inline std::string vivid_stage_file(const FilterBank& bank) {
  const std::string count = std::to_string(bank.count);
  std::string text =
      "//!STAGE votes The filter that answers a pixel most strongly\nconstant float bank[" + count +
      "][9] = {";
  for (std::size_t i = 0; i < bank.coefficients.size(); ++i) {
    char number[32];
    std::snprintf(number, sizeof number, "%s%.9ef", i % 9 == 0 ? "\n{" : ", ",
                  static_cast<double>(bank.coefficients[i]));
    text += number;
    if (i % 9 == 8) text += "},";
  }
  return text + R"(
};
//!READ luma halo=1
//!WRITE index uint8
//!WRITE weight float32 tolerance=1e-5
//!MAP
float i0 = luma(-1,-1) / 255.0f, i1 = luma(0,-1) / 255.0f, i2 = luma(1,-1) / 255.0f;
float i3 = luma(-1,0) / 255.0f, i4 = luma(0,0) / 255.0f, i5 = luma(1,0) / 255.0f;
float i6 = luma(-1,1) / 255.0f, i7 = luma(0,1) / 255.0f, i8 = luma(1,1) / 255.0f;
float greatest = 0;
int strongest = 0;
for (int k = 0; k < )" +
         count + R"(; ++k) {
  float r = bank[k][0] * i0;
  r = fma(bank[k][1], i1, r);
  r = fma(bank[k][2], i2, r);
  r = fma(bank[k][3], i3, r);
  r = fma(bank[k][4], i4, r);
  r = fma(bank[k][5], i5, r);
  r = fma(bank[k][6], i6, r);
  r = fma(bank[k][7], i7, r);
  r = fabs(fma(bank[k][8], i8, r));
  strongest = r > greatest ? k : strongest;
  greatest = r > greatest ? r : greatest;
}
int border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
index = border ? 0 : strongest;
weight = border ? 0 : greatest;
)";
}

}  // namespace tandem::check
