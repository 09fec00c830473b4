// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/kernel.h"

#include <algorithm>

#include "kernels/opencl/handles.h"
#include "kernels/opencl/native.h"

namespace tandem::opencl {

void KernelArguments::set(std::size_t bytes, const void* value) {
  const cl_int status = clSetKernelArg(static_cast<cl_kernel>(kernel_), position_++, bytes, value);
  if (status != CL_SUCCESS) throw cl::Error(status, "clSetKernelArg");
}

Kernel::Kernel(Context& context, const Program& program, const std::string& name)
    : name_(name), is_cpu_(context.device().is_cpu) {
  checked("create the kernel " + name, [&] {
    for (const cl::Program& each : program.native->each) {
      devices_.push_back(std::make_shared<OnDevice>());
      devices_.back()->kernel = cl::Kernel(each, name.c_str());
      ++counters().objects_created;
    }
    // All devices are of one kind.
    const cl::Device& device = context.native().at(0).device;
    const cl::Kernel& kernel = devices_.front()->kernel;
    max_group_ = kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
    group_multiple_ = kernel.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(device);
  });
}

std::size_t Kernel::group_size(std::size_t wanted) const {
  const std::size_t most = std::max<std::size_t>(std::min(wanted, max_group_), 1);
  return most >= group_multiple_ ? most / group_multiple_ * group_multiple_ : most;
}

void Kernel::enqueue_with(Queue& queue, const WorkSize& global, const WorkSize& local,
                          const std::function<void(KernelArguments&)>& set) const {
  enqueue_deferred(queue);
  OnDevice& here = on(queue.device());
  command(queue, name_.c_str(), [&] {
    const std::lock_guard lock(here.mutex);
    KernelArguments arguments(here.kernel(), queue.device());
    set(arguments);
    queue.native().queue.enqueueNDRangeKernel(here.kernel, cl::NullRange, range_of(global),
                                              range_of(local), nullptr,
                                              queue.native().note_kernel());
  });
  keep_pace(queue);
}

}  // namespace tandem::opencl
