// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "scheduler/learn/keep/knowledge.h"

namespace tandem {

/// Derives the knowledge of a size that nobody trained on from the nearest two sizes of otherwise
/// the same conditions; none where there is not one. Marrow, section 3.2, takes the configuration
/// that ran best at the nearest neighbour; here its measurements are scaled, and the model ranks
/// anew.
///
/// Each stage's time follows a power law in pixels between the two sizes. Its exponent is at most
/// 1.2, and at least 0.8 on the CPU or 0 on the device, where launches and copies take as long for
/// small frames. From one size alone it is 1. Energy follows time. Trials err as at the size where
/// they ran.
///
/// `chain`: what the frames meet now; knowledge of another one is left out.
std::optional<Learnt> derive(const Conditions& wanted, const Knowledge& knowledge,
                             const Chain& chain);

/// The factor by which frames take longer on each side than when they were learnt.
struct Slowdown {
  double cores = 1, device = 1;
};

/// Derives the knowledge of the same frames after a slowdown without a training since: all that was
/// measured of a side takes so much longer. Energy follows time.
Learnt derive(const Learnt& learnt, const Slowdown& slowdown);

/// Whether what was learnt with `learnt` holds for `chain`: the same stages can use the same
/// devices, and as many lanes.
bool same_work(const Chain& learnt, const Chain& chain);

}  // namespace tandem
