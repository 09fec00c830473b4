// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/opencl/native.h"
#include "kernels/vivid_histogram/vivid_histogram.h"
#include "kernels/vivid_histogram_cl.h"

namespace tandem {

namespace {

int check(int filters) {
  if (filters < 1 || filters > 255) throw opencl::Error("a histogram has 1 to 255 filters");
  return filters;
}

}  // namespace

struct VividHistogramOpenCL::Private {
  Private(opencl::Context& context, int k)
      : filters(check(k)),
        local_bins(context.native().has_local_memory),
        cell_bytes((static_cast<std::size_t>(filters) | 1) * sizeof(float)),
        kernel(
            context,
            opencl::build_program(context, vivid_histogram_cl, local_bins ? " -DLOCAL_BINS" : ""),
            "vivid_histogram"),
        // Half of the local memory, for two groups on a compute unit at least.
        group(kernel.group_size(
            local_bins ? std::min<std::size_t>(context.device().local_memory_bytes / 2 / cell_bytes,
                                               opencl::kCellGroup.of(context))
                       : opencl::kCellGroup.of(context))) {}

  const cl_int filters;
  const bool local_bins;         // else local memory would be one more copy
  const std::size_t cell_bytes;  // of local memory
  opencl::Kernel kernel;
  const std::size_t group;  // cells
};

VividHistogramOpenCL::VividHistogramOpenCL(opencl::Context& context, int filters)
    : self_(std::make_unique<Private>(context, filters)) {}

VividHistogramOpenCL::~VividHistogramOpenCL() = default;

void VividHistogramOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& index,
                                   const opencl::DevicePlane& weight,
                                   const opencl::DeviceSpan& histogram, Rows cell_rows) {
  const int columns = CellGrid::of(index.width, index.height).columns;
  const cl_int first = cell_rows.begin * columns, end = cell_rows.end * columns;
  if (first >= end) return;
  const std::size_t items = opencl::round_up(static_cast<std::size_t>(end - first), self_->group);
  const auto enqueue = [&](const auto&... local) {
    self_->kernel.enqueue(queue, items, self_->group, index, weight, histogram, self_->filters,
                          columns, first, end, local...);
  };
  if (self_->local_bins) {
    enqueue(opencl::LocalMemory{self_->group * self_->cell_bytes});
  } else {
    enqueue();
  }
}

}  // namespace tandem
