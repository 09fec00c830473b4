// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/klt_features/klt_features.h"
#include "tests/kernels/support/guarded.h"
#include "tests/kernels/support/implementation.h"

namespace tandem::check {
namespace {

TEST(KltGreatest, OfEachBlockOfTheBandAlone) {
  std::mt19937 random = generator(8);
  for (const SimdTarget& target : simd_targets()) {
    use_simd_target(target.target);
    for (const int width : {1, 63, 64, 65, 128, 200}) {
      Guarded<float> strength(width, 9);
      for (int y = 0; y < 9; ++y)
        std::generate_n(strength.row(y), width, [&] { return random_int(random, -99, 99) / 8.0f; });
      Guarded<float> greatest(klt_blocks(width), 9);
      constexpr Rows kBand{3, 7};
      klt_greatest_simd(strength.plane(), greatest.plane(), kBand);
      EXPECT_TRUE(greatest.intact_outside(kBand));
      for (int y = kBand.begin; y < kBand.end; ++y) {
        for (int x = 0; x < width; x += kKltBlock) {
          const float* const row = strength.row(y);
          EXPECT_EQ(greatest.row(y)[x / kKltBlock],
                    *std::max_element(row + x, row + std::min(width, x + kKltBlock)));
        }
      }
    }
  }
  use_simd_target(0);
}

}  // namespace
}  // namespace tandem::check
