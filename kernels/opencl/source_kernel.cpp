// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/source_kernel.h"

#include <algorithm>
#include <mutex>
#include <vector>

#include "kernels/opencl/native.h"

namespace tandem::opencl {
struct SourceKernel::Private {
  struct OnDevice {
    std::mutex mutex;  // arguments belong to the kernel until it is enqueued
    cl::Kernel kernel;
    std::size_t group = 1;
  };
  std::vector<std::unique_ptr<OnDevice>> devices;
};

SourceKernel::SourceKernel(Context& context, const std::string& source, const std::string& name)
    : self_(std::make_unique<Private>()) {
  const Program program = build_program(context, source);
  for (std::size_t d = 0; d < program.each.size(); ++d) {
    auto here = std::make_unique<Private::OnDevice>();
    checked("find the kernel '" + name + "' in the source", [&] {
      here->kernel = cl::Kernel(program.each[d], name.c_str());
      const cl::Device& device = context.native().devices[d]->device;
      here->group =
          std::min(kSourceGroup, here->kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device));
    });
    self_->devices.push_back(std::move(here));
  }
  counters().objects_created.fetch_add(1, std::memory_order_relaxed);
}

SourceKernel::~SourceKernel() = default;

void SourceKernel::enqueue(Queue& queue, std::size_t items, std::span<const Argument> arguments) {
  enqueue_deferred(queue);
  cl::CommandQueue& commands = queue.native().queue;
  Private::OnDevice& here = *self_->devices[static_cast<std::size_t>(queue.device())];
  command(queue, "enqueue a stage's kernel", [&] {
    const std::lock_guard lock(here.mutex);
    cl_uint position = 0;
    for (const Argument& argument : arguments)
      std::visit([&](const auto& value) { here.kernel.setArg(position++, sizeof value, &value); },
                 argument);
    commands.enqueueNDRangeKernel(here.kernel, cl::NullRange,
                                  cl::NDRange(round_up(items, here.group)), cl::NDRange(here.group),
                                  nullptr, queue.native().note_kernel());
  });
  if (queue.native().stop) queue.native().keep_pace();
}

}  // namespace tandem::opencl
