// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "kernels/opencl/native.h"
#include "kernels/stage_file/generate/plan.h"
#include "kernels/stage_file/run/host_stage.h"
#include "kernels/stage_file/run/stage_call.h"

/// Programs, arguments and sizes of a stage's kernels. For files that include OpenCL.
namespace tandem {

/// The program of generate_opencl(). Throws StageFileError with the compiler's first error.
opencl::Program build_stage(opencl::Context& context, const StageFile& file, const StagePlan& plan);

/// The part of a step's grid that a launch computes.
struct GridPart {
  /// MAP and LOOP: from this row on, to the end of the call's columns and rows.
  static GridPart from(int column, int row) { return {column, row}; }
  /// REDUCE: blocks of rows from this one on, of 2^bits.
  static GridPart blocks(int first, int bits) { return {first, bits}; }

  int first = 0, second = 0;
};

/// The arguments of a step's kernels, in the order of generate_opencl().
class StageArguments {
 public:
  StageArguments(const StageStep& step, const StageCall& call, std::size_t parameters,
                 GridPart part = {})
      : call_(call), part_(part) {
    for (int i : step.tensors()) {
      const StageView& view = call_.tensors[i];
      strides_[used_] = view.stride;
      add(view.data);
      add(strides_[used_++]);
      add(view.width);
      add(view.height);
    }
    for (std::size_t i = 0; i < parameters; ++i) add(call_.parameters[i].whole);  // 4 bytes each
  }
  opencl::ArgumentList list(const int& groups) {
    for (const int* value : {&call_.width, &call_.height, &call_.frame, &call_.pass, &call_.columns,
                             &call_.rows, &groups, &part_.first, &part_.second})
      add(*value);
    return {{all_.data(), count_}};
  }

 private:
  template <typename Value>
  void add(const Value& value) {
    all_[count_++] = {sizeof value, &value};
  }

  const StageCall& call_;
  const GridPart part_;
  std::array<cl_long, kMostStageTensors> strides_{};
  std::size_t used_ = 0, count_ = 0;
  std::array<opencl::ArgumentList::Argument, 4 * kMostStageTensors + 64> all_;
};

/// Work-items of the kernels of a REDUCE.
struct ReduceSizes {
  std::size_t group = 1, items = 1;  ///< of a block
  int pieces = 1;                    ///< partial results of all blocks
  std::size_t elements = 1;          ///< of the largest result
};

/// `sum_group`: the part of kSumGroup that the kernel supports.
ReduceSizes reduce_sizes(const StagePlan& plan, const StageStep& step, const StageCall& call,
                         bool is_cpu, std::size_t sum_group, int blocks = 1);

}  // namespace tandem
