// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>

#include "kernels/opencl/native.h"
#include "kernels/stage_file/run/streamed_stage.h"

namespace tandem {

/// The OpenCL objects behind StreamDevice.
struct StreamDevice::Native {
  std::shared_ptr<opencl::Context> context;  ///< wraps `contexts`, for the whole device
  cl::Context contexts;                      ///< for the device and its groups of cores
  cl::Device root;
  std::map<int, std::vector<cl::Device>> groups;  ///< by their number
  std::map<int, std::vector<cl::CommandQueue>> queues;
  std::vector<cl::CommandQueue> timed;

  std::vector<cl::CommandQueue>& lanes(int partitions);
  std::vector<cl::CommandQueue>& timed_lane();  ///< one lane, with profiling
};

}  // namespace tandem
