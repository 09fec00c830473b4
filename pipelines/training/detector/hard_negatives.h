// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <set>
#include <vector>

#include "pipelines/training/detector/scan.h"
#include "pipelines/training/detector/svm.h"
#include "pipelines/training/random.h"

namespace tandem {

/// A photograph that is searched for windows without a person: everywhere, or where no person's
/// box is near when `people` is given.
struct NegativeSource {
  const GreyImage* image;
  const Photograph* people;  ///< may be null
  float most_overlap;        ///< of a window without a person and a person's ideal detection
  double first_scale;        ///< of the levels that are searched
};

/// Up to `count` windows chosen by chance from all levels. `source_number` tells the photographs
/// apart in Example::place.
std::vector<Example> random_negatives(const NegativeSource& source, std::size_t source_number,
                                      const FilterBank& bank, float epsilon, int count,
                                      Random& random);

/// The `count` strongest windows that the SVM takes for a person or nearly so (score above -1, its
/// margin) and that are not among the `known` places.
std::vector<Example> hard_negatives(const NegativeSource& source, std::size_t source_number,
                                    const FilterBank& bank, const PackedSvm& svm, float epsilon,
                                    int count, const std::set<uint64_t>& known);

}  // namespace tandem
