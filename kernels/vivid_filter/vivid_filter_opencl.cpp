// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <utility>

#include "kernels/opencl/native.h"
#include "kernels/vivid_filter/vivid_filter.h"
#include "kernels/vivid_filter_cl.h"

namespace tandem {

namespace {

constexpr std::size_t kFloatsAFilter = 12;  // 9 coefficients, padded to three vectors of four

// A CPU device runs a vector of OpenCL C as one of its own. A GPU runs it as independent
// instructions: 8 pixels and their 30 neighbours fit the registers and hide the latency of the
// sums.
int pixels_an_item(const cl::Device& device, bool is_cpu) {
  if (!is_cpu) return 8;
  return static_cast<int>(
      std::clamp<cl_uint>(device.getInfo<CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT>(), 4, 16));
}

cl::Buffer padded_coefficients(opencl::Context& context, const FilterBank& bank) {
  if (bank.count < 1 || bank.count > 255 ||
      bank.coefficients.size() != 9 * static_cast<std::size_t>(bank.count)) {
    throw opencl::Error("a filter bank has 1 to 255 filters of 9 coefficients");
  }
  std::vector<float> padded(kFloatsAFilter * static_cast<std::size_t>(bank.count));
  for (std::size_t i = 0; i < bank.coefficients.size(); ++i) {
    padded[i / 9 * kFloatsAFilter + i % 9] = bank.coefficients[i];
  }
  return opencl::constant_data(context, padded.data(), padded.size() * sizeof(float));
}

}  // namespace

struct VividFilterOpenCL::Private {
  Private(opencl::Context& context, const FilterBank& bank)
      : filters(bank.count),
        pixels(pixels_an_item(context.native().device, context.device().is_cpu)),
        coefficients(padded_coefficients(context, bank)),
        kernel(context,
               opencl::build_program(context, vivid_filter_cl,
                                     "-cl-std=CL1.2 -DPIXELS=" + std::to_string(pixels)),
               "vivid_filter") {}

  const cl_int filters;
  const int pixels;
  const cl::Buffer coefficients;
  opencl::Kernel kernel;
};

VividFilterOpenCL::VividFilterOpenCL(opencl::Context& context, const FilterBank& bank)
    : self_(std::make_unique<Private>(context, bank)) {}

VividFilterOpenCL::~VividFilterOpenCL() = default;

void VividFilterOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
                                const opencl::DevicePlane& index, const opencl::DevicePlane& weight,
                                Rows rows) {
  if (rows.count() <= 0 || luma.width <= 0) return;
  const auto items_a_row =
      static_cast<std::size_t>((luma.width + self_->pixels - 1) / self_->pixels);
  const std::size_t group = self_->kernel.group_size(128);
  self_->kernel.enqueue(
      queue, opencl::round_up(items_a_row * static_cast<std::size_t>(rows.count()), group), group,
      luma.mem, static_cast<cl_ulong>(luma.offset), static_cast<cl_long>(luma.stride), index.mem,
      static_cast<cl_ulong>(index.offset), static_cast<cl_long>(index.stride), weight.mem,
      static_cast<cl_ulong>(weight.offset), static_cast<cl_long>(weight.stride), luma.width,
      luma.height, rows.begin, rows.count(), self_->coefficients(), self_->filters);
}

}  // namespace tandem
