// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <string>
#include <type_traits>
#include <vector>

#include "pipelines/progress.h"

/// Loops over many items. Their results do not depend on the number of threads.
namespace tandem {

/// Items that for_chunks() hands out together. Sums over chunks are then added in order.
inline constexpr std::size_t kChunk = 4096;

/// Calls body(begin, end, chunk) for the chunks of `count` items, in parallel.
template <typename Body>
void for_chunks(std::size_t count, Body body) {
  tbb::parallel_for(std::size_t{0}, (count + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    body(chunk * kChunk, std::min(count, (chunk + 1) * kChunk), chunk);
  });
}

/// Returns make(0) to make(count - 1), made in parallel. A progress line has the title.
template <typename Make>
auto parallel_map(const std::string& title, std::size_t count, Make make) {
  Progress progress(title, count);
  std::vector<std::invoke_result_t<Make, std::size_t>> results(count);
  tbb::parallel_for(std::size_t{0}, count, [&](std::size_t i) {
    results[i] = make(i);
    progress.advance();
  });
  return results;
}

/// Adds term(0) to term(count - 1). The compiler makes vectors of sixteen sums side by side; a
/// single sum would have to be added in order.
template <typename Term>
float sum_in_lanes(std::size_t count, Term term) {
  constexpr std::size_t kLanes = 16;
  const std::size_t full = count - count % kLanes;
  float sums[kLanes] = {}, sum = 0;
  for (std::size_t i = 0; i < full; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += term(i + lane);
  for (std::size_t i = full; i < count; ++i) sum += term(i);
  return std::accumulate(sums, sums + kLanes, sum);
}

}  // namespace tandem
