// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/util/plane_offset.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tandem {
namespace {

TEST(PlaneOffset, SevenInARowKeepTheirDistance) {
  constexpr int kPage = 4096;
  for (unsigned first = 0; first < 64; ++first) {
    for (unsigned a = first; a < first + 7; ++a) {
      EXPECT_EQ(plane_offset(a) % 64, 0u);
      for (unsigned b = a + 1; b < first + 7; ++b) {
        const int forth = static_cast<int>(plane_offset(b)) - static_cast<int>(plane_offset(a));
        const int behind = (forth + kPage) % kPage;
        EXPECT_GE(std::min(behind, kPage - behind), 448) << a << " " << b;
      }
    }
  }
}

}  // namespace
}  // namespace tandem
