// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/codegen/code_text.h"
#include "kernels/stage_file/codegen/opencl_kernel.h"

namespace tandem {
namespace {

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

}  // namespace

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

}  // namespace tandem
