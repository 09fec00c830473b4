// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/vivid_histogram/vivid_histogram.h"
#include "kernels/vivid_histogram_cl.h"

namespace tandem {

namespace {

int check(int filters) {
  if (filters < 1 || filters > 255) throw opencl::Error("a histogram has 1 to 255 filters");
  return filters;
}

}  // namespace

VividHistogramOpenCL::VividHistogramOpenCL(opencl::Context& context, int filters)
    : filters_(check(filters)),
      local_bins_(context.device().has_local_memory),
      cell_bytes_((static_cast<std::size_t>(filters) | 1) * sizeof(float)),
      kernel_(
          context,
          opencl::build_program(context, vivid_histogram_cl, local_bins_ ? " -DLOCAL_BINS" : ""),
          "vivid_histogram"),
      // Half of the local memory, for two groups on a compute unit at least.
      group_(kernel_.group_size(
          local_bins_ ? std::min<std::size_t>(context.device().local_memory_bytes / 2 / cell_bytes_,
                                              opencl::kCellGroup.of(context))
                      : opencl::kCellGroup.of(context))) {}

void VividHistogramOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& index,
                                   const opencl::DevicePlane& weight,
                                   const opencl::DeviceSpan& histogram, Rows cell_rows) {
  const int columns = CellGrid::of(index.width, index.height).columns;
  const int first = cell_rows.begin * columns, end = cell_rows.end * columns;
  if (first >= end) return;
  const std::size_t items = opencl::round_up(static_cast<std::size_t>(end - first), group_);
  const auto enqueue = [&](const auto&... local) {
    kernel_.enqueue(queue, items, group_, index, weight, histogram, filters_, columns, first, end,
                    local...);
  };
  if (local_bins_) {
    enqueue(opencl::LocalMemory{group_ * cell_bytes_});
  } else {
    enqueue();
  }
}

}  // namespace tandem
