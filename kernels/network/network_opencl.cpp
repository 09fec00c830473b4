// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/network/network_opencl.h"

#include <chrono>
#include <future>

#include "kernels/network/device_arguments_cl.h"
#include "kernels/network/network_common_cl.h"
#include "kernels/network/opencl/launches.h"

namespace tandem::network {
namespace {

/// Most times that a convolution's group is multiplied to share sums. Its tiles take up to 256
/// work-items so; devices without room for as many take no multiple.
constexpr int kMostSlices = 16;

/// Denormal numbers are far below what a network tells apart, and take a CPU up to 150 times as
/// long.
constexpr char kOptions[] = " -cl-denorms-are-zero";

/// One program a kernel, so that networks share them.
std::vector<opencl::Kernel> build(opencl::Context& context, const std::vector<KernelForm>& forms) {
  std::vector<std::future<opencl::Program>> programs;
  for (const KernelForm& form : forms) {
    programs.push_back(std::async(std::launch::async, [&context, &form] {
      return opencl::build_program(
          context, std::string(device_arguments_cl) + network_common_cl + form.source,
          form.options + kOptions);
    }));
  }
  std::vector<opencl::Kernel> kernels;
  for (std::size_t i = 0; i < forms.size(); ++i)
    kernels.emplace_back(context, programs[i].get(), forms[i].name);
  return kernels;
}

struct Built {
  Launches launches;
  std::vector<opencl::Kernel> kernels;

  Built(opencl::Context& context, const Network& network, int slices)
      : launches(network, context.device(), slices), kernels(build(context, launches.kernels())) {}
  bool fits() const {
    for (std::size_t i = 0; i < kernels.size(); ++i)
      if (kernels[i].max_group() < launches.kernels()[i].items) return false;
    return true;
  }
};

opencl::ConstantData upload(opencl::Context& context, const std::vector<float>& constants) {
  return opencl::constant_data(context, constants.data(), constants.size() * sizeof(float));
}

Built build_fitting(opencl::Context& context, const Network& network) {
  try {
    Built built(context, network, kMostSlices);
    if (built.fits()) return built;
  } catch (const opencl::Error&) {
    // Drivers may refuse a required size at build time instead.
  }
  return {context, network, 1};
}

}  // namespace

struct NetworkOpenCL::Private {
  Private(opencl::Context& context, std::shared_ptr<const Network> of)
      : network(std::move(of)),
        built(build_fitting(context, *network)),
        constants(upload(context, built.launches.take_constants())) {}

  const std::shared_ptr<const Network> network;
  Built built;
  const opencl::ConstantData constants;
};

NetworkOpenCL::NetworkOpenCL(opencl::Context& context, std::shared_ptr<const Network> network)
    : self_(std::make_unique<Private>(context, std::move(network))) {}
NetworkOpenCL::~NetworkOpenCL() = default;

std::size_t NetworkOpenCL::memory_bytes() const {
  return self_->built.launches.placement().memory_bytes();
}
std::size_t NetworkOpenCL::largest_live_set() const {
  return self_->built.launches.placement().largest_live_set();
}

void NetworkOpenCL::enqueue(opencl::Queue& queue, std::span<void* const> inputs,
                            std::span<void* const> outputs, void* memory,
                            std::vector<uint64_t>* times_ns) const {
  void* const constants = self_->constants.each[static_cast<std::size_t>(queue.device())].get();
  const auto memory_of = [&](const Place& place) {
    switch (place.in) {
      case Place::In::input:
        return inputs[static_cast<std::size_t>(place.index)];
      case Place::In::output:
        return outputs[static_cast<std::size_t>(place.index)];
      case Place::In::constant:
        return constants;
      case Place::In::frame:
        break;
    }
    return memory;
  };
  if (times_ns) queue.finish();
  for (const Launch& launch : self_->built.launches.all()) {
    const auto begin = std::chrono::steady_clock::now();
    self_->built.kernels[static_cast<std::size_t>(launch.kernel)].enqueue(
        queue, launch.global, launch.local, constants, launch.arguments,
        memory_of(launch.inputs[0]), memory_of(launch.inputs[1]), memory_of(launch.inputs[2]),
        memory_of(launch.output));
    if (!times_ns) continue;
    queue.finish();
    (*times_ns)[static_cast<std::size_t>(launch.step)] += static_cast<uint64_t>(
        std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
  }
}

}  // namespace tandem::network
