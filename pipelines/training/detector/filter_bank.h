// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/vivid_filter/vivid_filter.h"
#include "pipelines/training/dataset/photograph.h"

/// Learns the 3x3 filters of stage 1 from photographs.
/// Source: Dikmen, Hoiem, Huang, CVPR 2012, section 3.
namespace tandem {

/// A 3x3 patch of zero mean and unit norm.
using Patch = std::array<float, 9>;

/// About `count` patches, each place of each image chosen with a probability in proportion to its
/// contrast (the norm of the patch less its mean).
std::vector<Patch> sample_patches(const std::vector<GreyImage>& images, std::size_t count,
                                  uint64_t seed);

/// Spherical k-medoids with similarity |x'm|, started as k-means++ does: at most `rounds` rounds.
/// The same result for a seed, whatever the number of threads. A cluster's new medoid is its member
/// nearest to the mean of the members, each turned to the side of the old medoid. In a tight
/// cluster that is the member most similar to all others, without comparing every pair.
/// Throws std::runtime_error when there are fewer patches than filters.
FilterBank cluster_patches(const std::vector<Patch>& patches, int filters, int rounds,
                           uint64_t seed);

}  // namespace tandem
