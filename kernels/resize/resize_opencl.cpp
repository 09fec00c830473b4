// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/resize/resize.h"
#include "kernels/resize_cl.h"

namespace tandem {

ResizeOpenCL::ResizeOpenCL(opencl::Context& context)
    : run_(static_cast<int>(opencl::kRun.of(context))),
      kernel_(context, opencl::build_program(context, resize_cl, opencl::define("RUN", run_)),
              "resize"),
      group_(kernel_.group_size(opencl::kRunGroup)) {}

void ResizeOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& source,
                           const opencl::DevicePlane& destination, Rows rows) {
  if (rows.count() <= 0 || destination.width <= 0) return;
  const std::size_t items =
      opencl::pieces(destination.width, run_) * static_cast<std::size_t>(rows.count());
  kernel_.enqueue(queue, opencl::round_up(items, group_), group_, source, source.width,
                  source.height, destination, destination.width, destination.height, rows.begin,
                  rows.count());
}

}  // namespace tandem
