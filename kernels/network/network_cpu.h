// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/network/network.h"
#include "kernels/util/stop.h"

namespace tandem::network {

/// A network on the cores: each frame on the thread that calls, so that the bin decides how many
/// compute. All threads share the weights.
class NetworkCpu {
 public:
  /// Prepares weights and code for this machine. Throws std::runtime_error that names the step.
  explicit NetworkCpu(std::shared_ptr<const Network> network);
  ~NetworkCpu();

  /// Bytes of memory that a frame takes while it is computed, and the most that live at one step.
  std::size_t memory_bytes() const;
  std::size_t largest_live_set() const;

  /// Computes one frame. Inputs and outputs are in the order of the network's, 64-byte aligned;
  /// `memory` has memory_bytes(), 64-byte aligned. Asks `stop` between steps. Returns whether it
  /// computed all. Thread-safe. With `times_ns`, adds the time of each step to one element a step.
  bool run(std::span<const float* const> inputs, std::span<float* const> outputs, void* memory,
           Stop stop, std::vector<uint64_t>* times_ns = nullptr) const;

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem::network
