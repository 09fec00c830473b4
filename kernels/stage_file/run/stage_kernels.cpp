// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/stage_kernels.h"

#include <algorithm>

#include "kernels/stage_file/generate/generate.h"
#include "kernels/stage_file/run/first_error.h"

namespace tandem {
namespace {

// Both sides divide and take roots as IEEE says, where the device can.
bool divides_exactly(opencl::Context& context) {
  return std::ranges::all_of(context.native().devices, [](const auto& native) {
    return (native->device.template getInfo<CL_DEVICE_SINGLE_FP_CONFIG>() &
            CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT) != 0;
  });
}

}  // namespace

opencl::Program build_stage(opencl::Context& context, const StageFile& file,
                            const StagePlan& plan) {
  // Warnings are not shown. Compilers that count them on the error stream do so for these alone.
  std::string options = " -cl-single-precision-constant -w";
  options += opencl::define("TANDEM_ROWS", opencl::kMapRows.of(context));
  if (divides_exactly(context)) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  try {
    return opencl::build_program(context, generate_opencl(file, plan), options);
  } catch (const opencl::ProgramError& error) {
    throw StageFileError("the OpenCL compiler of " + context.device().name +
                         " fails: " + first_error(error.log(), "it gives no reason"));
  }
}

ReduceSizes reduce_sizes(const StagePlan& plan, const StageStep& step, const StageCall& call,
                         bool is_cpu, std::size_t sum_group, int blocks) {
  ReduceSizes sizes;
  for (const StageStore& write : step.parts[0].writes)
    sizes.elements = std::max(
        sizes.elements, elements_of(plan.tensors[static_cast<std::size_t>(write.tensor)].shape));
  const auto all_blocks = static_cast<std::size_t>(blocks);
  const auto of_block = [&](std::size_t all) { return std::max<std::size_t>(all / all_blocks, 1); };
  std::size_t pieces = of_block(static_cast<std::size_t>(device_pieces(sizes.elements)));
  sizes.group = static_cast<std::size_t>(local_items(plan, step));
  if (sizes.group > 0) {
    const std::size_t all =
        static_cast<std::size_t>(call.columns) * static_cast<std::size_t>(call.rows);
    pieces = std::min(
        {pieces, of_block(all / sizes.group), of_block(opencl::kReduceGroups.on_cpu(is_cpu))});
    sizes.items = pieces * sizes.group;
  } else {
    sizes.group = std::min(sum_group, pieces);
    sizes.items = pieces = pieces / sizes.group * sizes.group;
  }
  sizes.pieces = static_cast<int>(pieces * all_blocks);
  return sizes;
}

}  // namespace tandem
