// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/memory_plan.h"

#include <algorithm>
#include <numeric>

namespace tandem::network {
namespace {

std::size_t aligned(std::size_t bytes, std::size_t alignment) {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> buffers, std::size_t alignment) {
  std::vector<std::size_t> by_size(buffers.size());
  std::iota(by_size.begin(), by_size.end(), std::size_t{0});
  std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
    return buffers[a].bytes > buffers[b].bytes;
  });

  MemoryPlan plan;
  plan.offsets.resize(buffers.size());
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t b : by_size) {
    // The first gap between buffers that live at the same time.
    std::size_t offset = 0;
    const std::size_t bytes = aligned(buffers[b].bytes, alignment);
    for (const std::size_t other : placed) {
      if (buffers[other].last < buffers[b].first || buffers[b].last < buffers[other].first)
        continue;
      if (plan.offsets[other] >= offset + bytes) break;
      offset = std::max(offset, plan.offsets[other] + aligned(buffers[other].bytes, alignment));
    }
    plan.offsets[b] = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes);
    const auto after = std::find_if(placed.begin(), placed.end(), [&](std::size_t other) {
      return plan.offsets[other] > offset;
    });
    placed.insert(after, b);
  }
  return plan;
}

std::size_t largest_live_set(std::span<const Lifetime> buffers, std::size_t alignment) {
  std::size_t largest = 0;
  for (const Lifetime& at : buffers) {  // a set is largest where some buffer begins to live
    std::size_t live = 0;
    for (const Lifetime& b : buffers)
      if (b.first <= at.first && at.first <= b.last) live += aligned(b.bytes, alignment);
    largest = std::max(largest, live);
  }
  return largest;
}

}  // namespace tandem::network
