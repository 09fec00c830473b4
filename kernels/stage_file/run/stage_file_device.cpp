// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/stage_file_device.h"

#include <algorithm>
#include <array>

#include "kernels/opencl/memory.h"
#include "kernels/stage_file/run/host_stage.h"
#include "kernels/stage_file/run/stage_kernels.h"

namespace tandem {
namespace {

using Skeleton = StagePart::Skeleton;

// Passes of a loop that may settle are enqueued up to this one, then up to twice as many. In
// between the device is waited for: a pass too many costs a launch, which takes some microseconds.
constexpr int kFirstCheck = 16;

}  // namespace

struct StageFileOpenCL::Private {
  const StagePlan plan;
  const std::size_t parameters;
  const StageKernels kernels;

  // A work-item has this many rows. Those of the grid begin with `first_row`.
  void enqueue(const opencl::Kernel& kernel, opencl::Queue& queue, const StageStep& step,
               const StageCall& call, std::size_t item_rows, int first_row = 0) const {
    const std::size_t group =
        kernel.group_size(std::min(opencl::kMapGroup.on_cpu(kernels.is_cpu),
                                   static_cast<std::size_t>(std::max(1, call.columns))));
    const int groups = static_cast<int>(opencl::pieces(call.columns, static_cast<int>(group)));
    kernel.enqueue(queue,
                   {group * static_cast<std::size_t>(groups),
                    opencl::pieces(call.rows - first_row, static_cast<int>(item_rows))},
                   {group, 1},
                   StageArguments{step, call, parameters, groups, GridPart::from(0, first_row)});
  }

  void reduce(std::size_t k, opencl::Queue& queue, const StageCall& call) const {
    const ReduceSizes sizes = reduce_sizes(kernels, plan, k, call);
    const StageArguments arguments{plan.steps[k], call, parameters, sizes.pieces};
    kernels.steps[k].enqueue(queue, sizes.items, sizes.group, arguments);
    kernels.combines.at(k).enqueue(queue, sizes.combine_items, sizes.combine_group, arguments);
  }

  void loop(std::size_t k, opencl::Queue& queue, const StageCall& call) const {
    const StageStep& step = plan.steps[k];
    std::array<StageView, kMostStageTensors> views;
    std::copy_n(call.tensors, plan.tensors.size(), views.begin());
    StageCall own = call;
    own.tensors = views.data();
    const auto swap = [&] { swap_passes(plan, step, views); };
    if (step.until_settled)
      opencl::memory::clear(queue, views[static_cast<std::size_t>(step.flags)].data,
                            sizeof(int32_t) * static_cast<std::size_t>(step.passes + 1));
    if (step.passes % 2 == 0) swap();
    int check_at = step.until_settled ? kFirstCheck : step.passes;
    for (own.pass = 0; own.pass < step.passes; ++own.pass) {
      if (own.pass == check_at) {
        if (!asks_again(queue, views[static_cast<std::size_t>(step.flags)], own.pass - 1)) break;
        check_at *= 2;
      }
      enqueue(kernels.steps[k], queue, step, own, opencl::kMapRows.on_cpu(kernels.is_cpu));
      swap();
    }
    if (step.until_settled) enqueue(kernels.settles.at(k), queue, step, call, 1);
  }

  // Waits for the pass, and returns whether an element of it set `again`.
  static bool asks_again(opencl::Queue& queue, const StageView& flags, int pass) {
    int32_t again = 0;
    opencl::memory::download_now(queue, flags.data, &again, sizeof again,
                                 sizeof again * static_cast<std::size_t>(pass));
    return again != 0;
  }
};

StageFileOpenCL::StageFileOpenCL(opencl::Context& context, const StageFile& file,
                                 const StagePlan& plan)
    : self_(new Private{plan, file.parameters.size(), StageKernels(context, file, plan)}) {}

StageFileOpenCL::~StageFileOpenCL() = default;

void StageFileOpenCL::enqueue_rows(opencl::Queue& queue, const StageCall& call, Rows rows) const {
  if (rows.count() <= 0) return;
  const StageStep& step = self_->plan.steps.front();
  StageCall own = call_of(step, call);
  own.rows = std::min(own.rows, rows.end);
  self_->enqueue(self_->kernels.steps[0], queue, step, own,
                 opencl::kMapRows.on_cpu(self_->kernels.is_cpu), rows.begin);
}

void StageFileOpenCL::enqueue(opencl::Queue& queue, const StageCall& call) const {
  for (std::size_t k = 0; k < self_->plan.steps.size(); ++k) {
    const StageCall own = call_of(self_->plan.steps[k], call);
    switch (self_->plan.steps[k].skeleton) {
      case Skeleton::kMap:
        self_->enqueue(self_->kernels.steps[k], queue, self_->plan.steps[k], own,
                       opencl::kMapRows.on_cpu(self_->kernels.is_cpu));
        break;
      case Skeleton::kReduce:
        self_->reduce(k, queue, own);
        break;
      case Skeleton::kLoop:
        self_->loop(k, queue, own);
    }
  }
}

}  // namespace tandem
