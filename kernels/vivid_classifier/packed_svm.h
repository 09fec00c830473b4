// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "hwy/aligned_allocator.h"
#include "kernels/vivid_classifier/vivid_classifier.h"

namespace tandem {

/// The answers of one block: for each of the 7 block columns of a window 16 floats, of which the
/// first 15 are its block rows. The 16th makes a whole vector and is always 0.
constexpr int kSlots = 16;
constexpr int kAnswers = VividWindow::kBlockColumns * kSlots;  // 112

struct PackedSvm::Private {
  int filters = 0;
  float bias = 0, epsilon = 0;
  /// [cell of the block][filter][bx * 16 + by]
  hwy::AlignedFreeUniquePtr<float[]> weights;
};

}  // namespace tandem
