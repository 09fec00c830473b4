// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernels/network/network.h"
#include "kernels/opencl/opencl.h"

namespace tandem::network {

/// A network on the devices of a context, each of which holds the weights once. Agrees with
/// network_ref() to 1e-4 of the largest value.
class NetworkOpenCL {
 public:
  /// Builds the programs and uploads the weights. Throws opencl::Error, and std::runtime_error that
  /// names the step.
  NetworkOpenCL(opencl::Context& context, std::shared_ptr<const Network> network);
  ~NetworkOpenCL();

  /// Bytes of device memory that a frame takes while it is computed, and the most that live at one
  /// step.
  std::size_t memory_bytes() const;
  std::size_t largest_live_set() const;

  /// Enqueues all steps. Inputs and outputs are cl_mem in the order of the network's; `memory` has
  /// memory_bytes(). Waits for nothing. From several threads, each with a queue of its own. With
  /// `times_ns` it waits for each step, and adds its time to one element a step. Throws
  /// opencl::Error.
  void enqueue(opencl::Queue& queue, std::span<void* const> inputs, std::span<void* const> outputs,
               void* memory, std::vector<uint64_t>* times_ns = nullptr) const;

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem::network
