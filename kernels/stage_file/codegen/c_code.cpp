// SPDX-License-Identifier: LGPL-2.1-or-later

#include "kernels/stage_file/codegen/code_text.h"
#include "kernels/stage_file/codegen/codegen.h"
#include "kernels/stage_file/codegen/wide_bytes.h"
#include "prelude_c.h"

namespace tandem {
namespace {

using Kind = StageAccess::Kind;
using Skeleton = StagePart::Skeleton;

// Vectors hold more elements of narrow types. All of these become int where code computes with
// them.
const char* c_type_of(const StageParameter& p) {
  if (p.type == StageParameter::Type::kFloat) return "float";
  if (p.type == StageParameter::Type::kBool) return "uchar";
  if (p.least < 0 || p.most > 65535) return "int";
  return p.most > 255 ? "ushort" : "uchar";
}

std::string parameters_text(const StageFile& file) {
  std::string text;
  for (std::size_t i = 0; i < file.parameters.size(); ++i) {
    const StageParameter& p = file.parameters[i];
    text += Filled("const $type $name = t_->parameters[$i].$member;\n")
                .put("type", c_type_of(p))
                .put("name", p.name)
                .put("i", static_cast<long>(i))
                .put("member", p.type == StageParameter::Type::kFloat ? "real" : "whole");
  }
  return text;
}

// An array of elements that lie from `pointer` on. A checking build has their number, so
// that its compiler can check indices.
std::string array_text(const std::string& type, const std::string& count, const std::string& name,
                       const std::string& pointer) {
  return Filled(
             "#ifdef TANDEM_CHECK\n"
             "$Type (*const $Name_all_)[$Count] = ($Type (*)[$Count])($Pointer);\n"
             "#define $Name (*$Name_all_)\n"
             "#else\n"
             "$Type* const $Name = $Pointer;\n"
             "#endif\n")
      .put("Type", type)
      .put("Name", name)
      .put("Count", count)
      .put("Pointer", pointer);
}

std::string undefine_arrays(const StageStep& step) {
  std::string text;
  for (const auto& [name, tensor] : arrays_of(step)) text += "#undef " + name + "\n";
  for (const StagePlanPart& part : step.parts)
    for (const StageStore& write : part.writes)
      if (write.partials >= 0)
        text += "#undef " + write.name + "\n#undef " + write.name + "_other\n";
  return text;
}

std::string arrays_text(const StagePlan& plan, const StageStep& step) {
  std::string text;
  for (const auto& [name, tensor] : arrays_of(step))
    text += array_text(std::string("const ") + c_name_of(plan.tensors[tensor].type),
                       std::to_string(elements_of(plan.tensors[tensor].shape)), name,
                       Filled("(const $type*)t_->tensors[$i].data")
                           .put("type", c_name_of(plan.tensors[tensor].type))
                           .put("i", tensor));
  return text;
}

std::string widths_text(const StagePlan& plan, const StageStep& step) {
  return planes_text(plan, step, "const int w$i_ = t_->tensors[$i].width;\n");
}

// Before the loop over rows: the columns in which every read lies within its row.
std::string columns_text(const StagePlan& plan, const StageStep& step) {
  return widths_text(plan, step) + "int left_ = 0, right_ = t_->columns;\n" +
         planes_text(
             plan, step,
             "left_ = tandem_max_int(left_, ($halo * $over + $times - 1) / $times);\n"
             "right_ = tandem_min_int(right_, w$i_ > $halo ? ((w$i_ - 1 - $halo) / $times + 1) "
             "* $over : 0);\n") +
         "left_ = tandem_min_int(left_, t_->columns);\n"
         "right_ = tandem_max_int(right_, left_);\n";
}

// In the loop over rows: where the rows of what is read and written begin.
std::string rows_text(const StagePlan& plan, const StageStep& step) {
  const std::string text = planes_text(
      plan, step,
      "const $type* t$i_rows_[2 * $halo + 1];\n"
      "for (int j_ = 0; j_ <= 2 * $halo; ++j_)\n"
      "  t$i_rows_[j_] = (const $type*)t_->tensors[$i].data + tandem_within(y * $times / "
      "$over + j_ - $halo, 0, t_->tensors[$i].height - 1) * t_->tensors[$i].stride;\n");
  if (step.skeleton == Skeleton::kReduce) return text;
  return text + stores_text(step,
                            "$type* const t$i_row_ = ($type*)t_->tensors[$i].data + y * "
                            "t_->tensors[$i].stride;\n");
}

// Planes smaller than the grid are read from rows that were spread out for a chunk in the last two.
enum class Where { kBorder, kInside, kSpread, kWidened };

std::string reads_text(const StagePlan& plan, const StageStep& step, Where where) {
  std::string text;
  for (const auto& [name, plane] : planes_of(step)) {
    if (plane.over > 1 && (where == Where::kSpread || where == Where::kWidened)) {
      text += plane_text(plan, plane, kSpreadRead);
    } else if (where == Where::kWidened && is_byte(plan, plane.tensor)) {
      text += plane_text(plan, plane, kWideRead);
    } else {
      text +=
          plane_text(plan, plane,
                     where == Where::kBorder
                         ? "#define $name(dx, dy) ($missingt$i_rows_[tandem_reach(dy, $halo, $i) + "
                           "$halo][tandem_within(x * $times / $over + tandem_reach(dx, $halo, $i), "
                           "0, w$i_ - 1)])\n"
                         : "#define $name(dx, dy) ($missingt$i_rows_[tandem_reach(dy, $halo, $i) + "
                           "$halo][x * $times / $over + tandem_reach(dx, $halo, $i)])\n");
    }
  }
  return text;
}

// Elements in the widest vector of the step's smallest type.
int block_of(const StagePlan& plan, const StageStep& step) {
  constexpr std::size_t kWidest = 64;
  std::size_t bytes = 4;
  for (const int i : step.tensors()) bytes = std::min(bytes, bytes_of(plan.tensors[i].type));
  return static_cast<int>(kWidest / bytes);
}

std::string head_text(const StageFile& file, const std::string& name, std::size_t step,
                      const char* arguments = "int first_, int last_") {
  return "int tandem_" + name + "_" + std::to_string(step) + "(const struct tandem_call* t_, " +
         arguments +
         ") {\n"
         "const int width = t_->width, height = t_->height, frame = t_->frame, pass = t_->pass;\n"
         "int again_ = 0;\n" +
         parameters_text(file);
}

// Elements of a row that may read beyond its ends. A function of its own, which is made small and
// not fast. Whatever calls a cold function without a condition is cold as well. It comes first, so
// that an error in the code is reported once.
std::string border_text(const StageFile& file, const StagePlan& plan, std::size_t number) {
  const StageStep& step = plan.steps[number];
  return "\nstatic __attribute__((cold, noinline)) " +
         head_text(file, "border", number, "int y, int from_, int to_") + arrays_text(plan, step) +
         widths_text(plan, step) + rows_text(plan, step) + local_reads(step, true) +
         reads_text(plan, step, Where::kBorder) + "for (int x = from_; x < to_; ++x) {\n" +
         element_text(file, step, StageSide::kCpu) + "}\n" + undefine_reads(step) +
         local_reads(step, false) + "return again_;\n}\n" + undefine_arrays(step);
}

// The elements from first_ to end_ of a row, in blocks of whole vectors. The last block may begin
// within the one before and compute elements again, which gives the same.
std::string blocks_text(const StageFile& file, const StagePlan& plan, const StageStep& step,
                        Where where, const std::string& block) {
  return local_reads(step, true) + reads_text(plan, step, where) +
         std::string(Filled("for (int block_ = from_; block_ < end_; block_ += $block) {\n"
                            "const int begin_ = tandem_min_int(block_, end_ - $block);\n"
                            "#ifdef __clang__\n"
                            "#pragma clang loop vectorize(assume_safety)\n"
                            "#else\n"
                            "#pragma GCC ivdep\n"
                            "#pragma GCC unroll 1\n"
                            "#endif\n"
                            "for (int i_ = 0; i_ < $block; ++i_) {\n"
                            "const int x = begin_ + i_;\n")
                         .put("block", block)) +
         unrolled_element_text(file, step, StageSide::kCpu, where == Where::kWidened) + "}\n}\n" +
         undefine_reads(step) + local_reads(step, false);
}

// The inputs of a chunk of a row stay in the first-level cache: bytes that became ints, and rows of
// smaller planes that were spread out.
std::string chunks_text(const StageFile& file, const StagePlan& plan, const StageStep& step,
                        Where where, const std::string& block) {
  const bool wide = where == Where::kWidened;
  return std::string(Filled("for (int chunk_ = left_, chunk_end_; chunk_ < right_; chunk_ = "
                            "chunk_end_) {\n"
                            "chunk_end_ = right_ - chunk_ < tandem_chunk + $block ? right_ : "
                            "chunk_ + tandem_chunk;\n")
                         .put("block", block)) +
         spread_text(plan, step, block) + (wide ? widened_text(plan, step) : "") +
         "const int from_ = chunk_, end_ = chunk_end_;\n" +
         blocks_text(file, plan, step, where, block) + (wide ? narrowed_text(plan, step) : "") +
         "}\n";
}

// A row that is shorter than a block is all border.
std::string step_text(const StageFile& file, const StagePlan& plan, std::size_t number) {
  const StageStep& step = plan.steps[number];
  const bool wide = widens(file, plan, step);
  const std::string block = wide ? "tandem_lanes" : std::to_string(block_of(plan, step));
  return border_text(file, plan, number) + "\n" + head_text(file, "step", number) +
         "tandem_enter\n" + arrays_text(plan, step) + columns_text(plan, step) +
         std::string(Filled("if (right_ - left_ < $block) right_ = left_;\n"
                            "for (int y = first_; y < last_; ++y) {\n"
                            "if (left_ > 0) again_ |= tandem_border_$number(t_, y, 0, left_);\n"
                            "if (right_ < t_->columns) "
                            "again_ |= tandem_border_$number(t_, y, right_, t_->columns);\n")
                         .put("block", block)
                         .put("number", static_cast<long>(number))) +
         rows_text(plan, step) +
         (wide || spreads(step)
              ? chunks_text(file, plan, step, wide ? Where::kWidened : Where::kSpread, block)
              : "const int from_ = left_, end_ = right_;\n" +
                    blocks_text(file, plan, step, Where::kInside, block)) +
         "}\nreturn again_;\n}\n" + undefine_arrays(step);
}

// The loops over one row of what is reduced, which is added up in order.
std::string reduced_row_text(const StageFile& file, const StagePlan& plan, const StageStep& step) {
  const std::string element =
      "{" + user_text(file, file.parts[step.parts[0].part].body_on(StageSide::kCpu), "}");
  return rows_text(plan, step) + reads_text(plan, step, Where::kBorder) +
         "for (int side_ = 0; side_ < 2; ++side_)\n"
         "for (int x = side_ ? right_ : 0; x < (side_ ? t_->columns : left_); ++x) {\n" +
         element + "}\n" + undefine_reads(step) + reads_text(plan, step, Where::kInside) +
         "for (int x = left_; x < right_; ++x) {\n" + element + "}\n" + undefine_reads(step);
}

std::string reduce_text(const StageFile& file, const StagePlan& plan, std::size_t number) {
  const StageStep& step = plan.steps[number];
  const auto arrays = [&](const std::string& type, const std::string& name,
                          const std::string& piece) {
    return reduced_text(
        plan, step,
        array_text(type, "$count", name,
                   "($type*)t_->tensors[$partials].data + (long)" + piece + " * $count"));
  };
  const std::string partials =
      arrays("$type", "$name", "piece_") +
      reduced_text(plan, step, "for (int i_ = 0; i_ < $count; ++i_) $name[i_] = 0;\n");
  const std::string combined = arrays("$type", "$name", "0");
  const std::string others = arrays("const $type", "$name_other", "piece_");
  const std::string results =
      reduced_text(plan, step,
                   "for (int i_ = 0; i_ < $count; ++i_) (($type*)t_->tensors[$tensor].data)[i_] = "
                   "$name[i_];\n");
  const std::string undefined = undefine_arrays(step);
  return "\n" + head_text(file, "step", number) + "tandem_enter\n" + arrays_text(plan, step) +
         columns_text(plan, step) + "for (int piece_ = first_; piece_ < last_; ++piece_) {\n" +
         partials +
         "const int end_ = tandem_min_int(t_->rows, (piece_ + 1) * t_->piece_rows);\n"
         "for (int y = piece_ * t_->piece_rows; y < end_; ++y) {\n" +
         reduced_row_text(file, plan, step) + "}\n}\nreturn again_;\n}\n\n" + undefined +
         head_text(file, "combine", number) + "tandem_enter\n" + combined +
         "for (int piece_ = 1; piece_ < last_; ++piece_) {\n" + others + "{" +
         combine_text(file, plan, step) + "}\n}\n" + results + "return again_;\n}\n" + undefined;
}

}  // namespace

std::string generate_c(const StageFile& file, const StagePlan& plan) {
  std::string text = std::string("#line 1 \"tandem\"\n") + prelude_c + common_c_text(file);
  for (std::size_t k = 0; k < plan.steps.size(); ++k)
    text += plan.steps[k].skeleton == Skeleton::kReduce ? reduce_text(file, plan, k)
                                                        : step_text(file, plan, k);
  return text;
}

}  // namespace tandem
