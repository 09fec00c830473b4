// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/klt_features/klt_features.h"

namespace tandem {

/// Keeps of `count` features, the strongest first, those that are further than
/// kKltSuppressionPixels from all that were kept before. Returns how many.
int suppress_neighbours(KltFeature* features, int count);

/// Whether a pixel is one of KltCandidates::peaks.
bool is_peak(Plane<const float> strength, int x, int y);

}  // namespace tandem
