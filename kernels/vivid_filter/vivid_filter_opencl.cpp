// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <utility>

#include "kernels/opencl/native.h"
#include "kernels/vivid_filter/vivid_filter.h"
#include "kernels/vivid_filter_cl.h"

namespace tandem {

namespace {

constexpr std::size_t kFloatsAFilter = 12;  // 9 coefficients, padded to three vectors of four

/// How the kernel cuts the frame; the numbers that it is built with.
struct FilterPlan {
  int columns = 1, rows = 1;  // of a work-item
  int together = 1;           // filters of a maximum; the bank is padded to a multiple of it
  std::string options;
};

// A CPU device runs a vector of OpenCL C as one of its own. A GPU runs it as independent
// instructions.
FilterPlan plan_for(opencl::Context& context) {
  FilterPlan plan;
  if (context.device().is_cpu) {
    const auto width = context.native().at(0).device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>();
    plan.columns = static_cast<int>(std::clamp<cl_uint>(width, 4, 16));
    plan.options = opencl::define("PIXELS", plan.columns);
  } else {
    plan.rows = plan.columns = 4;
    plan.together = 5;
    plan.options = opencl::define("ROWS", plan.rows) + opencl::define("COLUMNS", plan.columns) +
                   opencl::define("TOGETHER", plan.together) +
                   opencl::define("GROUP", opencl::kFilterGroup.gpu);
  }
  return plan;
}

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

struct VividFilterOpenCL::Private {
  Private(opencl::Context& context, const FilterBank& bank)
      : plan(plan_for(context)),
        coefficients(padded_coefficients(context, bank, plan.together)),
        filters(padded(bank.count, plan.together)),
        shared{context.device().is_cpu ? 0 : kFloatsAFilter * sizeof(float) * filters},
        kernel(context, opencl::build_program(context, vivid_filter_cl, plan.options),
               "vivid_filter") {}

  const FilterPlan plan;
  const opencl::ConstantData coefficients;
  const cl_int filters;
  const opencl::LocalMemory shared;
  opencl::Kernel kernel;
};

VividFilterOpenCL::VividFilterOpenCL(opencl::Context& context, const FilterBank& bank)
    : self_(std::make_unique<Private>(context, bank)) {}

VividFilterOpenCL::~VividFilterOpenCL() = default;

void VividFilterOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
                                const opencl::DevicePlane& index, const opencl::DevicePlane& weight,
                                Rows rows) {
  if (rows.count() <= 0 || luma.width <= 0) return;
  const std::size_t items = opencl::pieces(luma.width, self_->plan.columns) *
                            opencl::pieces(rows.count(), self_->plan.rows);
  const std::size_t group = self_->kernel.group_size(opencl::kFilterGroup);
  const auto enqueue = [&](const auto&... local) {
    self_->kernel.enqueue(queue, opencl::round_up(items, group), group, luma, index, weight,
                          luma.width, luma.height, rows.begin, rows.count(), self_->coefficients,
                          self_->filters, local...);
  };
  if (self_->shared.bytes > 0) {
    enqueue(self_->shared);
  } else {
    enqueue();
  }
}

}  // namespace tandem
