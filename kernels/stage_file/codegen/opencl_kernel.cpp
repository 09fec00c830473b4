// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/codegen/opencl_kernel.h"

#include "kernels/stage_file/codegen/code_text.h"

namespace tandem {
namespace {

bool writes(const StageStep& step, int tensor) {
  for (const StagePlanPart& part : step.parts)
    for (const StageStore& write : part.writes)
      if (write.tensor == tensor || write.partials == tensor) return true;
  return step.flags == tensor;
}

}  // namespace

std::string kernel_head_text(const StageFile& file, const StagePlan& plan, const StageStep& step,
                             const std::string& name, std::size_t number) {
  std::string text = "\n__kernel void tandem_" + name + "_" + std::to_string(number) + "(";
  for (int i : step.tensors())
    text += Filled(
                "__global $const$type* restrict t$i_data_, long t$i_stride_, int t$i_w_, "
                "int t$i_h_, ")
                .put("const", writes(step, i) ? "" : "const ")
                .put("type", c_name_of(plan.tensors[i].type))
                .put("i", i);
  for (const StageParameter& p : file.parameters)
    text += (p.type == StageParameter::Type::kFloat ? "float " : "int ") + p.name + ", ";
  return text +
         "int width, int height, int frame, int pass, int columns_, int rows_, int groups_, " +
         (step.skeleton == StagePart::Skeleton::kReduce ? "int first_block_, int block_bits_"
                                                        : "int first_column_, int first_row_") +
         ") {\n";
}

std::string device_reads_text(const StagePlan& plan, const StageStep& step, bool inside) {
  std::string text;
  if (inside)
    text = planes_text(plan, step,
                       "__global const $type* const t$i_here_ = t$i_data_ + (y * $times / $over) * "
                       "t$i_stride_ + x * $times / $over;\n");
  for (const auto& [name, plane] : planes_of(step)) {
    // Before the first pass there is nothing.
    const bool other = plan.tensors[plane.tensor].role == StageTensor::Role::kOther;
    text += plane_text(
                plan, plane,
                inside ? "#define $name(dx, dy) ($pass$missingt$i_here_[tandem_reach(dy, $halo) * "
                         "t$i_stride_ + tandem_reach(dx, $halo)])\n"
                       : "#define $name(dx, dy) ($pass$missingt$i_data_[tandem_within(y * $times / "
                         "$over + tandem_reach(dy, $halo), 0, t$i_h_ - 1) * t$i_stride_ + "
                         "tandem_within(x * $times / $over + tandem_reach(dx, $halo), 0, t$i_w_ "
                         "- 1)])\n")
                .put("pass", other ? "pass == 0 ? 0 : " : "");
  }
  return text;
}

std::string device_arrays_text(const StagePlan& plan, const StageStep& step) {
  std::string text;
  for (const auto& [name, tensor] : arrays_of(step))
    text += Filled("__global const $type* const $name = t$i_data_;\n")
                .put("type", c_name_of(plan.tensors[tensor].type))
                .put("name", name)
                .put("i", tensor);
  return text;
}

}  // namespace tandem
