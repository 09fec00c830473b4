// SPDX-License-Identifier: LGPL-2.1-or-later
#include <stdexcept>

#include "kernels/network/have_networks.h"
#include "kernels/network/network.h"
#include "kernels/network/network_cpu.h"

/// A build without libonnx or oneDNN.
namespace tandem::network {

const bool kHaveNetworks = false;

Network read_network(const std::string& path) {
  throw std::runtime_error("network '" + path + "': " + kNoNetworks);
}

struct NetworkCpu::Private {};
NetworkCpu::NetworkCpu(std::shared_ptr<const Network>, Sharing) {
  throw std::runtime_error(kNoNetworks);
}
NetworkCpu::~NetworkCpu() = default;
std::size_t NetworkCpu::memory_bytes() const { return 0; }
std::size_t NetworkCpu::largest_live_set() const { return 0; }
bool NetworkCpu::run(std::span<const float* const>, std::span<float* const>, void*, Stop,
                     std::vector<uint64_t>*) const {
  return false;
}

}  // namespace tandem::network
