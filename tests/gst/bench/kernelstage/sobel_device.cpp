// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/native.h"
#include "tests/gst/bench/kernelstage/sobel.h"

namespace tandem {
namespace {

constexpr char kSource[] = R"(
__kernel void sobel(__global const uchar* luma, __global uchar* edges, int width, int height, int threshold) {
  const int x = get_global_id(0), y = get_global_id(1);
  if (x >= width) return;
  const int left = max(x - 1, 0), right = min(x + 1, width - 1);
  __global const uchar* above = luma + max(y - 1, 0) * width;
  __global const uchar* here = luma + y * width;
  __global const uchar* below = luma + min(y + 1, height - 1) * width;
  const int gx = above[right] + 2 * here[right] + below[right] - above[left] - 2 * here[left] - below[left];
  const int gy = below[left] + 2 * below[x] + below[right] - above[left] - 2 * above[x] - above[right];
  edges[y * width + x] = (gx < 0 ? -gx : gx) + (gy < 0 ? -gy : gy) >= threshold ? 255 : 0;
}
)";

}  // namespace

struct SobelOnDevice::Private {
  mutable cl::Kernel kernel;
  std::size_t group = 1;
};

SobelOnDevice::SobelOnDevice(opencl::Context& context) : self_(new Private) {
  const opencl::Program program = opencl::build_program(context, kSource, "");
  self_->kernel = cl::Kernel(program.native->each.at(0), "sobel");
  self_->group = opencl::kRowGroup.of(context);
}

SobelOnDevice::~SobelOnDevice() = default;

void SobelOnDevice::enqueue(opencl::Queue& queue, void* luma, void* edges, int width, int height,
                            int threshold) const {
  cl_mem memory[] = {static_cast<cl_mem>(luma), static_cast<cl_mem>(edges)};
  cl::Kernel& kernel = self_->kernel;
  for (cl_uint i = 0; i < 2; ++i) kernel.setArg(i, sizeof(cl_mem), &memory[i]);
  kernel.setArg(2, width);
  kernel.setArg(3, height);
  kernel.setArg(4, threshold);
  const std::size_t columns = opencl::round_up(static_cast<std::size_t>(width), self_->group);
  queue.native().queue.enqueueNDRangeKernel(kernel, cl::NullRange,
                                            cl::NDRange(columns, static_cast<std::size_t>(height)),
                                            cl::NDRange(self_->group, 1));
}

}  // namespace tandem
