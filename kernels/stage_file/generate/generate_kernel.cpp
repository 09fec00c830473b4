// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/generate/generate_kernel.h"

#include <map>

#include "kernels/stage_file/generate/generate_text.h"

namespace tandem {
namespace {

bool writes(const StageStep& step, int tensor) {
  for (const StagePlanPart& part : step.parts)
    for (const StageStore& write : part.writes)
      if (write.tensor == tensor || write.partials == tensor) return true;
  return step.flags == tensor;
}

// Before the first frame or pass there is nothing.
std::string missing_text(const StageTensor& tensor) {
  if (tensor.role == StageTensor::Role::kBefore) return "frame == 0 ? 0 : ";
  return tensor.role == StageTensor::Role::kOther ? "pass == 0 ? 0 : " : "";
}

Filled placed(const char* text, const StageAccess& plane) {
  return Filled(text)
      .put("name", plane.name)
      .put("i", plane.tensor)
      .put("times", plane.times)
      .put("over", plane.over)
      .put("halo", plane.halo);
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
  for (const auto& [name, plane] : planes_of(step)) {
    if (inside)
      text += placed(
                  "__global const $type* const t$i_here_ = t$i_data_ + (y * $times / $over) * "
                  "t$i_stride_ + "
                  "x * $times / $over;\n",
                  plane)
                  .put("type", c_name_of(plan.tensors[plane.tensor].type));
    text += placed(inside ? "#define $name(dx, dy) ($missingt$i_here_[tandem_reach(dy, $halo) * "
                            "t$i_stride_ + tandem_reach(dx, $halo)])\n"
                          : "#define $name(dx, dy) ($missingt$i_data_[tandem_within(y * $times / "
                            "$over + tandem_reach(dy, $halo), 0, t$i_h_ - 1) * t$i_stride_ + "
                            "tandem_within(x * $times / $over + tandem_reach(dx, $halo), 0, t$i_w_ "
                            "- 1)])\n",
                   plane)
                .put("missing", missing_text(plan.tensors[plane.tensor]));
  }
  return text;
}

std::string undefine_reads(const StageStep& step) {
  std::string text;
  for (const auto& [name, plane] : planes_of(step)) text += "#undef " + name + "\n";
  return text;
}

std::string device_arrays_text(const StagePlan& plan, const StageStep& step) {
  std::map<std::string, int> arrays;
  for (const StagePlanPart& part : step.parts)
    for (const StageAccess& read : part.reads)
      if (read.kind == StageAccess::Kind::kArray) arrays.emplace(read.name, read.tensor);
  std::string text;
  for (const auto& [name, tensor] : arrays)
    text += Filled("__global const $type* const $name = t$i_data_;\n")
                .put("type", c_name_of(plan.tensors[tensor].type))
                .put("name", name)
                .put("i", tensor);
  return text;
}

}  // namespace tandem
