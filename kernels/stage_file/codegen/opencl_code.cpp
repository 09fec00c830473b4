// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/codegen/code_text.h"
#include "kernels/stage_file/codegen/codegen.h"
#include "kernels/stage_file/codegen/opencl_kernel.h"
#include "kernels/stage_file/parse/names.h"
#include "prelude_cl.h"

namespace tandem {
namespace {

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
