// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/kernels/support/opencl_implementation.h"

#include <cstdio>

#include "tests/kernels/support/implementation.h"
#include "tests/kernels/support/opencl_device.h"

namespace tandem::check {

const std::vector<OpenCLDevice>& opencl_devices() {
  static const std::vector<OpenCLDevice> devices = [] {
    std::vector<OpenCLDevice> found;
    const auto context = opencl::test_context();
    if (!context) {
      std::puts("no OpenCL device on this machine: the OpenCL kernels are not checked");
      return found;
    }
    std::printf("OpenCL device: %s\n", context->device().name.c_str());
    // A CPU device compiles for the processor that the SIMD targets were asked of.
    const bool cpu = context->device().is_cpu;
    const bool fused = cpu && simd_targets().front().fused;
    found.push_back({"opencl", context, fused});
    if (cpu) {
      const auto as_gpu = opencl::test_context();
      opencl::treat_as_gpu(*as_gpu);
      found.push_back({"opencl_as_gpu", as_gpu, fused});
    }
    return found;
  }();
  return devices;
}

}  // namespace tandem::check
