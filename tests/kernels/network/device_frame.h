// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "kernels/network/network_opencl.h"
#include "tests/kernels/network/random_network.h"

namespace tandem::check {

/// Memory on a device for one frame of a network, and a queue.
class DeviceFrame {
 public:
  DeviceFrame(const std::shared_ptr<opencl::Context>& context,
              const network::NetworkOpenCL& computes, const network::Network& network)
      : computes_(computes),
        network_(network),
        queue_(context),
        memory_(context, std::max<std::size_t>(computes.memory_bytes(), 1)) {
    for (const int value : network.inputs) inputs_.push_back(buffer(context, value));
    for (const int value : network.outputs) outputs_.push_back(buffer(context, value));
  }

  /// Computes a frame and waits for its outputs.
  std::vector<Elements> run(const std::vector<Elements>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i)
      std::copy_n(inputs[i].data(), inputs[i].size(), host(*inputs_[i], Access::write));
    for (const auto& output : outputs_) {  // NaN remains where nothing is written
      std::fill_n(host(*output, Access::write), output->size() / sizeof(float), std::nanf(""));
    }
    enqueue();
    queue_.finish();
    std::vector<Elements> found = room_for_outputs(network_);
    for (std::size_t o = 0; o < found.size(); ++o)
      std::copy_n(host(*outputs_[o], Access::read), found[o].size(), found[o].data());
    return found;
  }

  void enqueue() {
    const auto on_device = [&](const std::vector<std::unique_ptr<opencl::Buffer>>& buffers) {
      std::vector<void*> all;
      for (const auto& each : buffers) all.push_back(each->device(queue_, Access::read_write));
      return all;
    };
    computes_.enqueue(queue_, on_device(inputs_), on_device(outputs_),
                      memory_.device(queue_, Access::write));
  }
  opencl::Queue& queue() { return queue_; }

 private:
  using Access = opencl::Buffer::Access;

  std::unique_ptr<opencl::Buffer> buffer(const std::shared_ptr<opencl::Context>& context,
                                         int value) {
    const auto count = static_cast<std::size_t>(network::elements(network_.of(value).shape));
    return std::make_unique<opencl::Buffer>(context, count * sizeof(float));
  }
  static float* host(opencl::Buffer& buffer, Access access) {
    return static_cast<float*>(buffer.host(access));
  }

  const network::NetworkOpenCL& computes_;
  const network::Network& network_;
  opencl::Queue queue_;
  opencl::Buffer memory_;
  std::vector<std::unique_ptr<opencl::Buffer>> inputs_, outputs_;
};

}  // namespace tandem::check
