// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tandem::network {

/// A buffer that a run of the network needs from step `first` to step `last`, both included.
struct Lifetime {
  std::size_t bytes = 0;
  int first = 0, last = 0;
};

struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< of each buffer, in bytes
  std::size_t bytes = 0;             ///< of the memory that holds all
};

/// Places buffers in one memory, so that those that live at the same time do not overlap. Offsets
/// are multiples of `alignment`, a power of two. Source: Pisarchyk and Lee, "Efficient memory
/// management for deep neural net inference", 2020, greedy by size.
MemoryPlan plan_memory(std::span<const Lifetime> buffers, std::size_t alignment);

/// The most bytes that live at one step: no plan takes less.
std::size_t largest_live_set(std::span<const Lifetime> buffers, std::size_t alignment);

}  // namespace tandem::network
