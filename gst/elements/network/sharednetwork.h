// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/tensorspec.h>

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/network/network.h"
#include "kernels/network/network_cpu.h"
#include "kernels/network/network_opencl.h"

namespace tandem {

/// Most outputs of a network. The rest of a stage's tensors: the memory that a frame takes, and
/// what its threads share.
inline constexpr std::size_t kMostOutputs = kMaxTensors - 2;

/// The network of an ONNX file: its only input is an image, 1 x 1 or 3 channels x height x width,
/// and it has at most kMostOutputs. All elements of the process that use the file share it, as long
/// as the file does not change. Throws what network::read_network() throws, and std::runtime_error
/// if `element` has no path or the network is another one.
std::shared_ptr<const network::Network> shared_network(const std::string& path,
                                                       const std::string& element);

/// The network with its weights on the cores, shared while it has users.
std::shared_ptr<const network::NetworkCpu> network_on_cpu(
    const std::shared_ptr<const network::Network>& network);

/// The same on the devices of a context. Throws opencl::Error.
std::shared_ptr<const network::NetworkOpenCL> network_on_device(
    const std::shared_ptr<const network::Network>& network,
    const std::shared_ptr<opencl::Context>& context);

}  // namespace tandem
