// SPDX-License-Identifier: LGPL-2.1-or-later
#include <map>
#include <set>

#include "kernels/stage_file/generate.h"
#include "kernels/stage_file/generate_text.h"
#include "prelude_cl.h"

namespace tandem {
namespace {

using Kind = StageAccess::Kind;
using Skeleton = StagePart::Skeleton;

bool writes(const StageStep& step, int tensor) {
  for (const StagePlanPart& part : step.parts)
    for (const StageStore& write : part.writes)
      if (write.tensor == tensor || write.partials == tensor) return true;
  return step.flags == tensor;
}

// All kernels of a step have the same arguments, in the order in which StageFileOpenCL sets them.
std::string head_text(const StageFile& file, const StagePlan& plan, const StageStep& step,
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
         "int width, int height, int frame, int pass, int columns_, int rows_, int groups_, "
         "int unset_, int first_column_, int first_row_) {\n";
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

// `inside`: where no read of the work-group lies outside of its plane.
std::string reads_text(const StagePlan& plan, const StageStep& step, bool inside) {
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

std::string undefine(const StageStep& step) {
  std::string text;
  for (const auto& [name, plane] : planes_of(step)) text += "#undef " + name + "\n";
  return text;
}

// Whether a whole work-group reads within planes.
std::string inside_text(const StageStep& step) {
  std::string text =
      "const int from_ = first_column_ + get_group_id(0) * get_local_size(0), "
      "to_ = from_ + get_local_size(0) - 1;\n"
      "const bool inside_ = to_ < columns_";
  for (const auto& [name, plane] : planes_of(step))
    text += placed(
        " &&\nfrom_ * $times / $over >= $halo && to_ * $times / $over + $halo < t$i_w_ && "
        "y * $times / $over >= $halo && y * $times / $over + $halo < t$i_h_",
        plane);
  return text + ";\n";
}

std::string device_arrays_text(const StagePlan& plan, const StageStep& step) {
  std::map<std::string, int> arrays;
  for (const StagePlanPart& part : step.parts)
    for (const StageAccess& read : part.reads)
      if (read.kind == Kind::kArray) arrays.emplace(read.name, read.tensor);
  std::string text;
  for (const auto& [name, tensor] : arrays)
    text += Filled("__global const $type* const $name = t$i_data_;\n")
                .put("type", c_name_of(plan.tensors[tensor].type))
                .put("name", name)
                .put("i", tensor);
  return text;
}

// A row of work-groups for each row of the grid, or of the part of it that begins at first_column_
// and first_row_ and ends before columns_. Groups at a border have code of their own: reads that
// are kept within their planes are no neighbours of each other to a compiler.
std::string kernel_text(const StageFile& file, const StagePlan& plan, std::size_t number) {
  const StageStep& step = plan.steps[number];
  std::string text = head_text(file, plan, step, "step", number) +
                     "const int x = first_column_ + get_global_id(0), y = first_row_ + "
                     "get_group_id(1);\n";
  const std::string flags = "t" + std::to_string(step.flags) + "_data_";
  if (step.until_settled) text += "if (pass > 0 && !" + flags + "[pass - 1]) return;\n";
  if (step.until_settled)
    text +=
        "if (y == 0 && x == 0) " + flags + "[" + std::to_string(step.passes) + "] = pass + 1;\n";
  text += "int again_ = 0;\n" + device_arrays_text(plan, step);
  for (const StagePlanPart& part : step.parts)
    for (const StageStore& write : part.writes)
      if (write.tensor >= 0)
        text += Filled("__global $type* const t$i_row_ = t$i_data_ + y * t$i_stride_;\n")
                    .put("type", c_name_of(write.type))
                    .put("i", write.tensor);
  const std::string element = element_text(file, step, StageSide::kDevice);
  text += local_reads(step, true) + inside_text(step) + "if (!inside_) {\nif (x < columns_) {\n" +
          reads_text(plan, step, false) + element + undefine(step) + "}\n} else {\n" +
          reads_text(plan, step, true) + element + undefine(step) + "}\n" +
          local_reads(step, false);
  if (step.until_settled) text += "if (again_) " + flags + "[pass] = 1;\n";
  return text + "}\n";
}

// Where the last pass of a loop wrote into the other memory, what it wrote is copied.
std::string settle_text(const StageFile& file, const StagePlan& plan, std::size_t number) {
  const StageStep& step = plan.steps[number];
  std::string text = head_text(file, plan, step, "settle", number);
  text += Filled("if (t$i_data_[$passes] % 2 == $odd) return;\n")
              .put("i", step.flags)
              .put("passes", step.passes)
              .put("odd", step.passes % 2);
  text +=
      "const int x = get_global_id(0), y = get_group_id(1);\n"
      "if (x >= columns_) return;\n";
  for (const StagePlanPart& part : step.parts) {
    for (const StageStore& write : part.writes) {
      for (const StageAccess& read : part.reads) {
        if (read.tensor < 0 || plan.tensors[read.tensor].of != write.tensor) continue;
        text += Filled("t$i_data_[y * t$i_stride_ + x] = t$j_data_[y * t$j_stride_ + x];\n")
                    .put("i", write.tensor)
                    .put("j", read.tensor);
      }
    }
  }
  return text + "}\n";
}

// Each of `all_` work-items takes every so many-th element, so that neighbours read side by side.
// Rows and columns are counted along: a division for each element costs as much as what it counts.
std::string reduced_elements(const StageFile& file, const StagePlan& plan, const StageStep& step) {
  return reads_text(plan, step, false) +
         "const int down_ = all_ / columns_, along_ = all_ - down_ * columns_;\n"
         "for (int y = first_ / columns_, x = first_ - y * columns_; y < end_;\n"
         "x += along_, y += down_ + (x >= columns_), x -= x >= columns_ ? columns_ : 0) {\n" +
         user_text(file, file.parts[step.parts[0].part].body_on(StageSide::kDevice)) + "}\n" +
         undefine(step);
}

// The rows are cut into blocks, each of which a row of work-groups reduces by itself: what groups
// add up does not depend on which blocks are reduced together. `all`: pieces of a block.
std::string block_text(const char* all) {
  return std::string("const int block_ = first_row_ + get_group_id(1), blocks_ = groups_ / ") +
         all +
         ";\n"
         "const int begin_ = (long)rows_ * block_ / blocks_, "
         "end_ = (long)rows_ * (block_ + 1) / blocks_;\n"
         "const int first_ = begin_ * columns_ + get_global_id(0), all_ = get_global_size(0);\n";
}

// Each work-item has a partial result in local memory, where a group combines those of its items.
std::string local_pieces_text(const StageFile& file, const StagePlan& plan, const StageStep& step) {
  const long items = local_items(plan, step);
  const auto reduced = [&](const char* text) {
    return reduced_text(plan, step, std::string(Filled(text).put("items", items)).c_str());
  };
  return reduced("__local $type l$tensor_[$items * $padded];\n") + block_text("get_num_groups(0)") +
         "const int item_ = get_local_id(0), "
         "group_ = get_group_id(0) + get_num_groups(0) * block_;\n{\n" +
         reduced(
             "__local $type* const $name = l$tensor_ + item_ * $padded;\n"
             "for (int i_ = 0; i_ < $count; ++i_) $name[i_] = 0;\n") +
         reduced_elements(file, plan, step) + "}\nbarrier(CLK_LOCAL_MEM_FENCE);\n" +
         std::string(Filled("for (int kept_ = $items / 2; kept_ > 0; kept_ /= 2) {\n"
                            "if (item_ < kept_) {\n")
                         .put("items", items)) +
         reduced(
             "__local $type* const $name = l$tensor_ + item_ * $padded;\n"
             "__local const $type* const $name_other = $name + kept_ * $padded;\n") +
         combine_text(file, plan, step) + "}\nbarrier(CLK_LOCAL_MEM_FENCE);\n}\n" +
         reduced(
             "for (int i_ = item_; i_ < $count; i_ += $items) "
             "t$partials_data_[group_ * (long)$count + i_] = l$tensor_[i_];\n");
}

// Each work-item has a partial result in global memory.
std::string global_pieces_text(const StageFile& file, const StagePlan& plan,
                               const StageStep& step) {
  return block_text("get_global_size(0)") +
         "const int item_ = get_global_id(0) + all_ * block_;\n" +
         reduced_text(plan, step,
                      "__global $type* const $name = t$partials_data_ + item_ * (long)$count;\n"
                      "for (int i_ = 0; i_ < $count; ++i_) $name[i_] = 0;\n") +
         reduced_elements(file, plan, step);
}

// Pieces are reduced by themselves; one work-group combines them, `groups_` of them.
std::string reduce_kernels_text(const StageFile& file, const StagePlan& plan, std::size_t number) {
  const StageStep& step = plan.steps[number];
  const std::string combine =
      "{\n" +
      reduced_text(plan, step,
                   "__global $type* const $name = t$partials_data_ + to_ * (long)$count;\n"
                   "__global const $type* const $name_other = "
                   "t$partials_data_ + from_ * (long)$count;\n") +
      combine_text(file, plan, step) + "}\n";
  return head_text(file, plan, step, "step", number) + device_arrays_text(plan, step) +
         (local_items(plan, step) > 0 ? local_pieces_text(file, plan, step)
                                      : global_pieces_text(file, plan, step)) +
         "}\n" + head_text(file, plan, step, "combine", number) +
         "const int item_ = get_local_id(0), items_ = get_local_size(0), pieces_ = groups_;\n"
         "for (int from_ = item_ + items_; from_ < pieces_; from_ += items_) {\n"
         "const int to_ = item_;\n" +
         combine +
         "}\nbarrier(CLK_GLOBAL_MEM_FENCE);\n"
         "for (int left_ = min(items_, pieces_); left_ > 1;) {\n"
         "const int kept_ = (left_ + 1) / 2;\n"
         "if (item_ < left_ - kept_) {\nconst int to_ = item_, from_ = item_ + kept_;\n" +
         combine + "}\nbarrier(CLK_GLOBAL_MEM_FENCE);\nleft_ = kept_;\n}\n" +
         reduced_text(plan, step,
                      "for (int i_ = item_; i_ < $count; i_ += items_) t$tensor_data_[i_] = "
                      "t$partials_data_[i_];\n") +
         "}\n";
}

}  // namespace

std::string generate_opencl(const StageFile& file, const StagePlan& plan) {
  std::string text = std::string("#line 1 \"tandem\"\n#pragma OPENCL FP_CONTRACT ") +
                     (file.contract ? "ON" : "OFF") + "\n" + prelude_cl +
                     user_text(file, file.common);
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    const StageStep& step = plan.steps[k];
    text += step.skeleton == Skeleton::kReduce ? reduce_kernels_text(file, plan, k)
                                               : kernel_text(file, plan, k);
    if (step.until_settled) text += settle_text(file, plan, k);
  }
  return text;
}

}  // namespace tandem
