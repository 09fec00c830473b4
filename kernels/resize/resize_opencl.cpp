// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/native.h"
#include "kernels/resize/resize.h"
#include "kernels/resize_cl.h"

namespace tandem {

struct ResizeOpenCL::Private {
  explicit Private(opencl::Context& context)
      : run(context.device().is_cpu ? 64 : 1),
        kernel(
            context,
            opencl::build_program(context, resize_cl, "-cl-std=CL1.2 -DRUN=" + std::to_string(run)),
            "resize"),
        group(kernel.group_size(context.device().is_cpu ? 16 : 128)) {}

  const int run;  // pixels a work-item
  opencl::Kernel kernel;
  const std::size_t group;
};

ResizeOpenCL::ResizeOpenCL(opencl::Context& context) : self_(std::make_unique<Private>(context)) {}

ResizeOpenCL::~ResizeOpenCL() = default;

void ResizeOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& source,
                           const opencl::DevicePlane& destination, Rows rows) {
  if (rows.count() <= 0 || destination.width <= 0) return;
  const auto runs_a_row =
      static_cast<std::size_t>((destination.width + self_->run - 1) / self_->run);
  const std::size_t items = runs_a_row * static_cast<std::size_t>(rows.count());
  self_->kernel.enqueue(queue, opencl::round_up(items, self_->group), self_->group, source.mem,
                        static_cast<cl_ulong>(source.offset), static_cast<cl_long>(source.stride),
                        source.width, source.height, destination.mem,
                        static_cast<cl_ulong>(destination.offset),
                        static_cast<cl_long>(destination.stride), destination.width,
                        destination.height, rows.begin, rows.count());
}

}  // namespace tandem
