// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "kernels/klt_features/klt_features.h"

namespace tandem {

/// klt_greatest_simd() and klt_select_in_blocks_simd() on one thread.
inline void klt_select_simd(Plane<const float> strength, KltCandidates candidates, int count,
                            KltFeature* features) {
  thread_local std::vector<float> memory;
  const int blocks = klt_blocks(strength.width);
  memory.resize(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(strength.height));
  const Plane<float> greatest{memory.data(), blocks, strength.height, blocks};
  klt_greatest_simd(strength, greatest, {0, strength.height});
  klt_select_in_blocks_simd(strength, greatest, candidates, count, features);
}

}  // namespace tandem
