// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <limits>

#include "pipelines/training/parallel.h"
#include "pipelines/training/random.h"

namespace tandem {

/// The start of k-means++: chooses one of `count` items by
/// chance, and each further one in proportion to its distance from the nearest item so far.
/// `choose(i)` is called with each of the `clusters` items; `distance(i)` is from the last one.
template <typename Distance, typename Choose>
void choose_first_centres(std::size_t count, int clusters, Random& random, Distance distance,
                          Choose choose) {
  std::vector<float> nearest(count, std::numeric_limits<float>::max());
  std::vector<double> mass((count + kChunk - 1) / kChunk);
  choose(random.below(count));
  for (int k = 1; k < clusters; ++k) {
    for_chunks(count, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i)
        sum += nearest[i] = std::min(nearest[i], distance(i));
      mass[chunk] = sum;
    });
    double left = random.uniform() * std::accumulate(mass.begin(), mass.end(), 0.0);
    std::size_t chunk = 0;
    while (chunk + 1 < mass.size() && left >= mass[chunk]) left -= mass[chunk++];
    std::size_t i = chunk * kChunk;
    const std::size_t end = std::min(count, i + kChunk);
    while (i + 1 < end && left >= nearest[i]) left -= nearest[i++];
    choose(i);
  }
}

}  // namespace tandem
