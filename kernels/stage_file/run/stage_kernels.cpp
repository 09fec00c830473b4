// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/stage_kernels.h"

#include <algorithm>

#include "kernels/stage_file/codegen/codegen.h"
#include "kernels/stage_file/run/first_error.h"

namespace tandem {
namespace {

opencl::Program build(opencl::Context& context, const StageFile& file, const StagePlan& plan) {
  // Warnings are not shown. Compilers that count them on the error stream do so for these alone.
  std::string options = " -cl-single-precision-constant -w";
  options += opencl::define("TANDEM_ROWS", opencl::kMapRows.of(context));
  // Both sides divide and take roots as IEEE 754 rounds them, if the device can.
  if (context.device().divides_exactly) options += " -cl-fp32-correctly-rounded-divide-sqrt";
  try {
    return opencl::build_program(context, generate_opencl(file, plan), options);
  } catch (const opencl::ProgramError& error) {
    throw StageFileError("the OpenCL compiler of " + context.device().name +
                         " fails: " + first_error(error.log(), "it gives no reason"));
  }
}

}  // namespace

StageKernels::StageKernels(opencl::Context& context, const StageFile& file, const StagePlan& plan)
    : is_cpu(context.device().is_cpu) {
  const opencl::Program program = build(context, file, plan);
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    const StageStep& step = plan.steps[k];
    const auto kernel = [&](const std::string& name) {
      return opencl::Kernel(context, program, "tandem_" + name + "_" + std::to_string(k));
    };
    steps.push_back(kernel("step"));
    if (step.skeleton == StagePart::Skeleton::kReduce) combines.emplace(k, kernel("combine"));
    if (step.until_settled) settles.emplace(k, kernel("settle"));
    adds.push_back(adds_elements(file, plan, step));
  }
}

void StageArguments::add_to(opencl::KernelArguments& to) const {
  for (const int i : step.tensors()) {
    const StageView& view = call.tensors[i];
    to.add(view.data);
    to.add(int64_t{view.stride});
    to.add(view.width);
    to.add(view.height);
  }
  for (std::size_t i = 0; i < parameters; ++i) to.add(call.parameters[i].whole);  // 4 bytes each
  for (const int value : {call.width, call.height, call.frame, call.pass, call.columns, call.rows,
                          groups, part.first, part.second})
    to.add(value);
}

ReduceSizes reduce_sizes(const StageKernels& kernels, const StagePlan& plan, std::size_t step,
                         const StageCall& call, int blocks) {
  ReduceSizes sizes;
  std::size_t elements = 1;  // of the largest result
  for (const StageStore& write : plan.steps[step].parts[0].writes)
    elements =
        std::max(elements, elements_of(plan.tensors[static_cast<std::size_t>(write.tensor)].shape));
  const auto all_blocks = static_cast<std::size_t>(blocks);
  const auto of_block = [&](std::size_t all) { return std::max<std::size_t>(all / all_blocks, 1); };
  std::size_t pieces = of_block(static_cast<std::size_t>(device_pieces(elements)));
  sizes.group = static_cast<std::size_t>(local_items(plan, plan.steps[step]));
  if (sizes.group > 0) {
    const std::size_t all =
        static_cast<std::size_t>(call.columns) * static_cast<std::size_t>(call.rows);
    pieces = std::min({pieces, of_block(all / sizes.group),
                       of_block(opencl::kReduceGroups.on_cpu(kernels.is_cpu))});
    sizes.items = pieces * sizes.group;
  } else {
    sizes.group = std::min(kernels.steps[step].group_size(opencl::kSumGroup), pieces);
    sizes.items = pieces = pieces / sizes.group * sizes.group;
  }
  sizes.pieces = static_cast<int>(pieces * all_blocks);
  const bool adds = kernels.adds[step];
  sizes.combine_group =
      kernels.combines.at(step).group_size(adds ? opencl::kAddGroup : opencl::kSumGroup);
  sizes.combine_items =
      adds ? opencl::round_up(elements, sizes.combine_group) : sizes.combine_group;
  return sizes;
}

}  // namespace tandem
