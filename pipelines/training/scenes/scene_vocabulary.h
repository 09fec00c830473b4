// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/scene_classifier/bag.h"

namespace tandem {

/// Descriptors of several pictures as [count][128].
using DescriptorTable = std::vector<float>;

/// `words` centres of `descriptors` by k-means with Euclidean distances, started as k-means++ does:
/// at most `rounds` rounds. The same for a seed, whatever the number of threads. A centre that
/// loses all its descriptors stays where it is. Throws std::runtime_error when there are fewer
/// descriptors than words.
SceneVocabulary cluster_descriptors(const DescriptorTable& descriptors, int words, int rounds,
                                    uint64_t seed);

}  // namespace tandem
