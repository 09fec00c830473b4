// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/vivid_filter/vivid_filter.h"
#include "kernels/vivid_filter_cl.h"

namespace tandem {

namespace {

constexpr std::size_t kFloatsAFilter = 12;  // 9 coefficients, padded to three vectors of four

int padded(int count, int multiple) { return (count + multiple - 1) / multiple * multiple; }

opencl::ConstantData padded_coefficients(opencl::Context& context, const FilterBank& bank,
                                         int together) {
  if (bank.count < 1 || bank.count > 255 ||
      bank.coefficients.size() != 9 * static_cast<std::size_t>(bank.count)) {
    throw opencl::Error("a filter bank has 1 to 255 filters of 9 coefficients");
  }
  std::vector<float> floats(kFloatsAFilter *
                            static_cast<std::size_t>(padded(bank.count, together)));
  for (std::size_t i = 0; i < bank.coefficients.size(); ++i) {
    floats[i / 9 * kFloatsAFilter + i % 9] = bank.coefficients[i];
  }
  return opencl::constant_data(context, floats.data(), floats.size() * sizeof(float));
}

}  // namespace

// A CPU device runs a vector of OpenCL C as one of its own. A GPU runs it as independent
// instructions.
VividFilterOpenCL::Plan::Plan(const opencl::DeviceDescription& device) {
  if (device.is_cpu) {
    columns = static_cast<int>(std::clamp(device.vector_floats, 4u, 16u));
    options = opencl::define("PIXELS", columns);
  } else {
    rows = columns = 4;
    together = 5;
    options = opencl::define("ROWS", rows) + opencl::define("COLUMNS", columns) +
              opencl::define("TOGETHER", together) +
              opencl::define("GROUP", opencl::kFilterGroup.gpu);
  }
}

VividFilterOpenCL::VividFilterOpenCL(opencl::Context& context, const FilterBank& bank)
    : plan_(context.device()),
      coefficients_(padded_coefficients(context, bank, plan_.together)),
      filters_(padded(bank.count, plan_.together)),
      shared_{context.device().is_cpu ? 0 : kFloatsAFilter * sizeof(float) * filters_},
      kernel_(context, opencl::build_program(context, vivid_filter_cl, plan_.options),
              "vivid_filter") {}

void VividFilterOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
                                const opencl::DevicePlane& index, const opencl::DevicePlane& weight,
                                Rows rows) {
  if (rows.count() <= 0 || luma.width <= 0) return;
  const std::size_t items =
      opencl::pieces(luma.width, plan_.columns) * opencl::pieces(rows.count(), plan_.rows);
  const std::size_t group = kernel_.group_size(opencl::kFilterGroup);
  const auto enqueue = [&](const auto&... local) {
    kernel_.enqueue(queue, opencl::round_up(items, group), group, luma, index, weight, luma.width,
                    luma.height, rows.begin, rows.count(), coefficients_, filters_, local...);
  };
  if (shared_.bytes > 0) {
    enqueue(shared_);
  } else {
    enqueue();
  }
}

}  // namespace tandem
