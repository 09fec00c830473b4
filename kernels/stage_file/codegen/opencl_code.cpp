// SPDX-License-Identifier: LGPL-2.1-or-later
#include <string>

#include "kernels/stage_file/codegen/code_text.h"
#include "kernels/stage_file/codegen/codegen.h"
#include "kernels/stage_file/codegen/stage_plan.h"
#include "kernels/stage_file/parse/names.h"
#include "prelude_cl.h"

namespace tandem {
namespace {

bool writes(const StageStep& step, int tensor) {
  for (const StagePlanPart& part : step.parts)
    for (const StageStore& write : part.writes)
      if (write.tensor == tensor || write.partials == tensor) return true;
  return step.flags == tensor;
}

/// A kernel up to its first `{`. All kernels of a step have the same arguments, in the order of
/// StageArguments. The last two select the part of the grid to compute.
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

/// `#define name(dx, dy) ...` for the planes. `inside`: no read is outside of its plane.
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

/// Pointers to the tensors that have a shape.
std::string device_arrays_text(const StagePlan& plan, const StageStep& step) {
  std::string text;
  for (const auto& [name, tensor] : arrays_of(step))
    text += Filled("__global const $type* const $name = t$i_data_;\n")
                .put("type", c_name_of(plan.tensors[tensor].type))
                .put("name", name)
                .put("i", tensor);
  return text;
}

// The rows are cut into 2^block_bits_ blocks, each of which a row of work-groups reduces by itself:
// what groups add up does not depend on which blocks a task has. A whole frame is one block.
constexpr const char* kBlockText =
    "const int block_ = first_block_ + get_group_id(1);\n"
    "const int begin_ = (long)rows_ * block_ >> block_bits_, "
    "end_ = (long)rows_ * (block_ + 1) >> block_bits_;\n";

// Each of `all_` work-items takes every so many-th element, so that neighbours read side by side.
// Rows and columns are counted along: a division for each element costs as much as what it counts.
std::string reduced_elements(const StageFile& file, const StagePlan& plan, const StageStep& step) {
  return device_reads_text(plan, step, false) +
         "const int down_ = all_ / columns_, along_ = all_ - down_ * columns_;\n"
         "const int skipped_ = first_ / columns_;\n"
         "for (int y = begin_ + skipped_, x = first_ - skipped_ * columns_; y < end_;\n"
         "x += along_, y += down_ + (x >= columns_), x -= x >= columns_ ? columns_ : 0) {\n" +
         user_text(file, file.parts[step.parts[0].part].body_on(StageSide::kDevice), "}") +
         undefine_reads(step);
}

// A group's partial results become one.
std::string local_combine_text(const StageFile& file, const StagePlan& plan,
                               const StageStep& step) {
  if (adds_elements(file, plan, step))
    return reduced_text(
        plan, step,
        "for (int i_ = item_; i_ < $count; i_ += items_) {\n"
        "$type sum_ = 0;\n"
        "for (int k_ = 0; k_ < items_; ++k_) sum_ += l$tensor_[k_ * $padded + i_];\n"
        "t$partials_data_[group_ * (long)$count + i_] = sum_;\n}\n");
  return "for (int kept_ = items_ / 2; kept_ > 0; kept_ /= 2) {\nif (item_ < kept_) {\n" +
         reduced_text(plan, step,
                      "__local $type* const $name = l$tensor_ + item_ * $padded;\n"
                      "__local const $type* const $name_other = $name + kept_ * $padded;\n") +
         combine_text(file, plan, step) + "}\nbarrier(CLK_LOCAL_MEM_FENCE);\n}\n" +
         reduced_text(plan, step,
                      "for (int i_ = item_; i_ < $count; i_ += items_) "
                      "t$partials_data_[group_ * (long)$count + i_] = l$tensor_[i_];\n");
}

// Each work-item has a partial result in local memory, where a group combines those of its items.
std::string local_pieces_text(const StageFile& file, const StagePlan& plan, const StageStep& step) {
  const long items = local_items(plan, step);
  return reduced_text(plan, step,
                      Filled("__local $type l$tensor_[$items * $padded];\n").put("items", items)) +
         std::string(Filled("enum { items_ = $items };\n").put("items", items)) + kBlockText +
         "const int item_ = get_local_id(0), "
         "group_ = block_ * get_num_groups(0) + get_group_id(0);\n{\n" +
         reduced_text(plan, step,
                      "__local $type* const $name = l$tensor_ + item_ * $padded;\n"
                      "for (int i_ = 0; i_ < $count; ++i_) $name[i_] = 0;\n") +
         "const int first_ = get_global_id(0), all_ = get_global_size(0);\n" +
         reduced_elements(file, plan, step) + "}\nbarrier(CLK_LOCAL_MEM_FENCE);\n" +
         local_combine_text(file, plan, step);
}

// Each work-item has a partial result in global memory.
std::string global_pieces_text(const StageFile& file, const StagePlan& plan,
                               const StageStep& step) {
  return std::string(kBlockText) +
         "const int first_ = get_global_id(0), all_ = get_global_size(0);\n" +
         reduced_text(plan, step,
                      "__global $type* const $name = "
                      "t$partials_data_ + (block_ * all_ + first_) * (long)$count;\n"
                      "for (int i_ = 0; i_ < $count; ++i_) $name[i_] = 0;\n") +
         reduced_elements(file, plan, step);
}

// The elements of all `groups_` pieces are added up side by side.
std::string add_pieces_text(const StagePlan& plan, const StageStep& step) {
  return reduced_text(plan, step,
                      "for (int i_ = get_global_id(0); i_ < $count; i_ += get_global_size(0)) {\n"
                      "$type sum_ = 0;\n"
                      "#pragma unroll 8\n"
                      "for (int k_ = 0; k_ < groups_; ++k_) "
                      "sum_ += t$partials_data_[k_ * (long)$count + i_];\n"
                      "t$tensor_data_[i_] = sum_;\n}\n");
}

// One work-group combines the `groups_` pieces.
std::string combine_pieces_text(const StageFile& file, const StagePlan& plan,
                                const StageStep& step) {
  const std::string combine =
      "{\n" +
      reduced_text(plan, step,
                   "__global $type* const $name = t$partials_data_ + to_ * (long)$count;\n"
                   "__global const $type* const $name_other = "
                   "t$partials_data_ + from_ * (long)$count;\n") +
      combine_text(file, plan, step) + "}\n";
  return "const int item_ = get_local_id(0), items_ = get_local_size(0), pieces_ = groups_;\n"
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
                      "t$partials_data_[i_];\n");
}

/// The kernels of kReduce: each piece is reduced alone, then the results are combined.
std::string reduce_kernels_text(const StageFile& file, const StagePlan& plan, std::size_t number) {
  const StageStep& step = plan.steps[number];
  return kernel_head_text(file, plan, step, "step", number) + device_arrays_text(plan, step) +
         (local_items(plan, step) > 0 ? local_pieces_text(file, plan, step)
                                      : global_pieces_text(file, plan, step)) +
         "}\n" + kernel_head_text(file, plan, step, "combine", number) +
         (adds_elements(file, plan, step) ? add_pieces_text(plan, step)
                                          : combine_pieces_text(file, plan, step)) +
         "}\n";
}

// Functions of floats, by the number of their arguments. OpenCL's own have a version for each type
// and take no two types. As C does, these convert whole numbers.
constexpr const char* kFloatFunctions[] = {
    "acos asin atan cbrt ceil cos cosh exp exp2 fabs floor log log10 log2 rint round rsqrt sin "
    "sinh "
    "sqrt tan tanh trunc",
    "atan2 copysign fmax fmin fmod hypot pow", "fma mad mix"};

// The functions come first: where OpenCL's are macros, as PoCL's are, a macro of that name hides
// them.
std::string float_functions_text() {
  std::string functions, macros, parameters, arguments;
  char next = 'a';
  for (const char* const names : kFloatFunctions) {
    parameters += std::string(parameters.empty() ? "" : ", ") + "float " + next;
    arguments += std::string(arguments.empty() ? "" : ", ") + next++;
    for (const CodeWord& word : words_of(std::string_view(names))) {
      const auto filled = [&](const char* text) {
        return Filled(text)
            .put("name", std::string(word.text))
            .put("parameters", parameters)
            .put("arguments", arguments);
      };
      functions += filled("float tandem_$name($parameters) { return $name($arguments); }\n");
      macros += filled("#undef $name\n#define $name($arguments) tandem_$name($arguments)\n");
    }
  }
  return functions + macros;
}

using Skeleton = StagePart::Skeleton;

// Whether a whole work-group reads within planes and has all its rows.
std::string inside_text(const StagePlan& plan, const StageStep& step) {
  return "const int from_ = first_column_ + get_group_id(0) * get_local_size(0), "
         "to_ = from_ + get_local_size(0) - 1;\n"
         "const bool inside_ = to_ < columns_ && bottom_ < rows_" +
         planes_text(
             plan, step,
             " &&\nfrom_ * $times / $over >= $halo && to_ * $times / $over + $halo < t$i_w_ && "
             "top_ * $times / $over >= $halo && bottom_ * $times / $over + $halo < t$i_h_") +
         ";\n";
}

// A part of the grid, or all of it: what begins at first_column_ and first_row_ and ends before
// columns_ and rows_.
// A work-item computes TANDEM_ROWS elements below each other, which read many pixels in common.
// Groups at a border have code of their own: reads that are kept within their planes are no
// neighbours of each other to a compiler.
std::string kernel_text(const StageFile& file, const StagePlan& plan, std::size_t number) {
  const StageStep& step = plan.steps[number];
  std::string text = kernel_head_text(file, plan, step, "step", number) +
                     "const int x = first_column_ + get_global_id(0), "
                     "top_ = first_row_ + get_group_id(1) * TANDEM_ROWS, "
                     "bottom_ = top_ + TANDEM_ROWS - 1;\n";
  const std::string flags = "t" + std::to_string(step.flags) + "_data_";
  if (step.until_settled)
    text += "if (pass > 0 && !" + flags + "[pass - 1]) return;\nif (top_ == 0 && x == 0) " + flags +
            "[" + std::to_string(step.passes) + "] = pass + 1;\n";
  const std::string element = unrolled_element_text(file, step, StageSide::kDevice),
                    rows = stores_text(step,
                                       "__global $type* const t$i_row_ = t$i_data_ + y * "
                                       "t$i_stride_;\n");
  text += "int again_ = 0;\n" + device_arrays_text(plan, step) + local_reads(step, true) +
          inside_text(plan, step) +
          "if (!inside_) {\nif (x < columns_) {\n"
          "for (int y = top_; y <= bottom_ && y < rows_; ++y) {\n" +
          rows + device_reads_text(plan, step, false) + element + undefine_reads(step) +
          "}\n}\n} else {\n"
          "for (int down_ = 0; down_ < TANDEM_ROWS; ++down_) {\nconst int y = top_ + down_;\n" +
          rows + device_reads_text(plan, step, true) + element + undefine_reads(step) + "}\n}\n" +
          local_reads(step, false);
  if (step.until_settled) text += "if (again_) " + flags + "[pass] = 1;\n";
  return text + "}\n";
}

// Where the last pass of a loop wrote into the other memory, what it wrote is copied.
std::string settle_text(const StageFile& file, const StagePlan& plan, std::size_t number) {
  const StageStep& step = plan.steps[number];
  std::string text = kernel_head_text(file, plan, step, "settle", number);
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

}  // namespace

std::string generate_opencl(const StageFile& file, const StagePlan& plan) {
  std::string text = std::string("#line 1 \"tandem\"\n#pragma OPENCL FP_CONTRACT ") +
                     (file.contract ? "ON" : "OFF") + "\n" + float_functions_text() + prelude_cl +
                     user_text(file, file.common, kDeclarationsEnd);
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    const StageStep& step = plan.steps[k];
    text += step.skeleton == Skeleton::kReduce ? reduce_kernels_text(file, plan, k)
                                               : kernel_text(file, plan, k);
    if (step.until_settled) text += settle_text(file, plan, k);
  }
  return text;
}

}  // namespace tandem
