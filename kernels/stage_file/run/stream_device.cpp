// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/stream_device.h"

#include <algorithm>

namespace tandem {
namespace {

constexpr int kMostLanes = 16;

// Of as equal a size as can be; empty when the runtime does not cut this device so.
std::vector<cl::Device> groups_of(const cl::Device& device, int cores, int groups) {
  std::vector<cl_device_partition_property> counts{CL_DEVICE_PARTITION_BY_COUNTS};
  for (int k = 0; k < groups; ++k) counts.push_back(cores * (k + 1) / groups - cores * k / groups);
  counts.push_back(CL_DEVICE_PARTITION_BY_COUNTS_LIST_END);
  counts.push_back(0);
  std::vector<cl::Device> made;
  try {
    cl::Device(device).createSubDevices(counts.data(), &made);
  } catch (const cl::Error&) {
    made.clear();
  }
  return made;
}

}  // namespace

StreamDevice::StreamDevice(const std::string& selector) : native_(new Native) {
  const auto chosen = opencl::Context::open(selector);
  native_->root = chosen->native().at(0).device;
  const int cores = static_cast<int>(chosen->device().compute_units);
  std::vector<cl::Device> all{native_->root};
  for (int groups = 2; chosen->device().is_cpu && groups <= std::min(cores, kMostLanes);
       groups *= 2) {
    const auto made = groups_of(native_->root, cores, groups);
    if (made.empty()) break;
    native_->groups[groups] = made;
    all.insert(all.end(), made.begin(), made.end());
  }
  opencl::checked("open " + chosen->device().name, [&] {
    try {
      native_->contexts = cl::Context(all);
      for (const auto& [count, devices] : native_->groups) native_->lanes(count);
    } catch (const cl::Error&) {
      if (native_->groups.empty()) throw;
      native_->groups.clear();
      native_->queues.clear();
      native_->contexts = cl::Context(native_->root);
    }
  });
  native_->context = opencl::Context::wrap(native_->contexts(), native_->root());
}

StreamDevice::~StreamDevice() = default;

const opencl::DeviceDescription& StreamDevice::description() const {
  return native_->context->device();
}

bool StreamDevice::has_own_cores(int partitions) const {
  return native_->groups.contains(partitions);
}

int StreamDevice::most_partitions() const {
  return description().is_cpu
             ? std::clamp(static_cast<int>(description().compute_units), 1, kMostLanes)
             : kMostLanes;
}

std::vector<cl::CommandQueue>& StreamDevice::Native::lanes(int partitions) {
  auto& made = queues[partitions];
  const auto own = groups.find(partitions);
  for (int k = static_cast<int>(made.size()); k < partitions; ++k)
    made.emplace_back(contexts,
                      own == groups.end() ? root : own->second[static_cast<std::size_t>(k)]);
  return made;
}

std::vector<cl::CommandQueue>& StreamDevice::Native::timed_lane() {
  if (timed.empty()) timed.emplace_back(contexts, root, CL_QUEUE_PROFILING_ENABLE);
  return timed;
}

}  // namespace tandem
