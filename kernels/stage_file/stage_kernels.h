// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>

#include "kernels/opencl/native.h"
#include "kernels/stage_file/host_stage.h"
#include "kernels/stage_file/plan.h"
#include "kernels/stage_file/stage_call.h"

/// What all that enqueues a stage's kernels shares; for files that know OpenCL.
namespace tandem {

/// The program of generate_opencl(). Throws StageFileError with the compiler's first complaint.
opencl::Program build_stage(opencl::Context& context, const StageFile& file, const StagePlan& plan);

/// Where a part of a grid begins.
struct GridPlace {
  int column = 0, row = 0;
};

/// The arguments of a step's kernels, in the order of generate_opencl().
class StageArguments {
 public:
  StageArguments(const StageStep& step, const StageCall& call, std::size_t parameters,
                 GridPlace first = {})
      : call_(call), first_(first) {
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
                             &call_.rows, &groups, &call_.unset, &first_.column, &first_.row})
      add(*value);
    return {{all_.data(), count_}};
  }

 private:
  template <typename Value>
  void add(const Value& value) {
    all_[count_++] = {sizeof value, &value};
  }

  const StageCall& call_;
  const GridPlace first_;
  std::array<cl_long, kMostStageTensors> strides_{};
  std::size_t used_ = 0, count_ = 0;
  std::array<opencl::ArgumentList::Argument, 4 * kMostStageTensors + 64> all_;
};

}  // namespace tandem
