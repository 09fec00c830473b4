// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/opencl/native.h"
#include "kernels/resize/resize.h"
#include "kernels/resize_cl.h"

namespace tandem {

struct ResizeOpenCL::Private {
  explicit Private(opencl::Context& context)
      : run(static_cast<int>(opencl::kRun.of(context))),
        kernel(context, opencl::build_program(context, resize_cl, opencl::define("RUN", run)),
               "resize"),
        group(kernel.group_size(opencl::kRunGroup)) {}

  const int run;  // pixels a work-item
  opencl::Kernel kernel;
  const std::size_t group;
};

ResizeOpenCL::ResizeOpenCL(opencl::Context& context) : self_(std::make_unique<Private>(context)) {}

ResizeOpenCL::~ResizeOpenCL() = default;

void ResizeOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& source,
                           const opencl::DevicePlane& destination, Rows rows) {
  if (rows.count() <= 0 || destination.width <= 0) return;
  const std::size_t items =
      opencl::pieces(destination.width, self_->run) * static_cast<std::size_t>(rows.count());
  self_->kernel.enqueue(queue, opencl::round_up(items, self_->group), self_->group, source,
                        source.width, source.height, destination, destination.width,
                        destination.height, rows.begin, rows.count());
}

}  // namespace tandem
