// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <string>

#include "kernels/network/network.h"
#include "kernels/network/network_cpu.h"
#include "kernels/network/network_opencl.h"

namespace tandem {

/// The network of an ONNX file. All elements of the process that use the file share it, as long as
/// the file does not change. Throws what network::read_network() throws.
std::shared_ptr<const network::Network> shared_network(const std::string& path);

/// The network with its weights on the cores, shared as long as somebody uses it.
std::shared_ptr<const network::NetworkCpu> network_on_cpu(
    const std::shared_ptr<const network::Network>& network);

/// The same on the devices of a context. Throws opencl::Error.
std::shared_ptr<const network::NetworkOpenCL> network_on_device(
    const std::shared_ptr<const network::Network>& network,
    const std::shared_ptr<opencl::Context>& context);

}  // namespace tandem
