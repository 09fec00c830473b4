// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/stage_file/run/stage_file_device.h"

#include <algorithm>
#include <array>

#include "kernels/opencl/native.h"
#include "kernels/stage_file/run/host_stage.h"
#include "kernels/stage_file/run/stage_kernels.h"

namespace tandem {
namespace {

using Skeleton = StagePart::Skeleton;

// Passes of a loop that may settle are enqueued up to this one, then up to twice as many. In
// between the device is waited for: a pass too many costs a launch, which takes some microseconds.
constexpr int kFirstLook = 16;

std::unique_ptr<opencl::Kernel> kernel(opencl::Context& context, const opencl::Program& program,
                                       const char* name, std::size_t step) {
  return std::make_unique<opencl::Kernel>(
      context, program, ("tandem_" + std::string(name) + "_" + std::to_string(step)).c_str());
}

}  // namespace

struct StageFileOpenCL::Private {
  const StagePlan plan;
  const std::size_t parameters;
  const bool is_cpu;
  std::vector<std::unique_ptr<opencl::Kernel>> steps, combines, settles;
  std::vector<bool> adds;  // combines[k] adds up elements side by side

  // A work-item has this many rows. Those of the grid begin with `first_row`.
  void enqueue(opencl::Kernel& kernel, opencl::Queue& queue, const StageStep& step,
               const StageCall& call, std::size_t item_rows, int first_row = 0) const {
    const std::size_t group = kernel.group_size(std::min(
        opencl::kMapGroup.on_cpu(is_cpu), static_cast<std::size_t>(std::max(1, call.columns))));
    const int groups = static_cast<int>(opencl::pieces(call.columns, static_cast<int>(group)));
    StageArguments arguments(step, call, parameters, GridPart::from(0, first_row));
    kernel.enqueue(queue,
                   {group * static_cast<std::size_t>(groups),
                    opencl::pieces(call.rows - first_row, static_cast<int>(item_rows))},
                   {group, 1}, arguments.list(groups));
  }

  void reduce(std::size_t k, opencl::Queue& queue, const StageCall& call) const {
    const StageStep& step = plan.steps[k];
    const ReduceSizes sizes = reduce_sizes(plan, step, call, is_cpu,
                                           steps[k]->group_size(opencl::kSumGroup.on_cpu(is_cpu)));
    StageArguments first(step, call, parameters);
    steps[k]->enqueue(queue, sizes.items, sizes.group, first.list(sizes.pieces));
    const std::size_t items = combines[k]->group_size(adds[k] ? opencl::kAddGroup.on_cpu(is_cpu)
                                                              : opencl::kSumGroup.on_cpu(is_cpu));
    StageArguments second(step, call, parameters);
    combines[k]->enqueue(queue, adds[k] ? opencl::round_up(sizes.elements, items) : items, items,
                         second.list(sizes.pieces));
  }

  void loop(std::size_t k, opencl::Queue& queue, const StageCall& call) const {
    const StageStep& step = plan.steps[k];
    std::array<StageView, kMostStageTensors> views;
    std::copy_n(call.tensors, plan.tensors.size(), views.begin());
    StageCall own = call;
    own.tensors = views.data();
    const auto swap = [&] {
      for (std::size_t i = 0; i < plan.tensors.size(); ++i) {
        const StageTensor& other = plan.tensors[i];
        if (other.role != StageTensor::Role::kOther) continue;
        for (const StageStore& write : step.parts[0].writes)
          if (write.tensor == other.of)
            std::swap(views[i].data, views[static_cast<std::size_t>(other.of)].data);
      }
    };
    if (step.until_settled)
      clear(queue, views[static_cast<std::size_t>(step.flags)], step.passes + 1);
    if (step.passes % 2 == 0) swap();
    int look = step.until_settled ? kFirstLook : step.passes;
    for (own.pass = 0; own.pass < step.passes; ++own.pass) {
      if (own.pass == look) {
        if (!asks_again(queue, views[static_cast<std::size_t>(step.flags)], own.pass - 1)) break;
        look *= 2;
      }
      enqueue(*steps[k], queue, step, own, opencl::kMapRows.on_cpu(is_cpu));
      swap();
    }
    if (step.until_settled) enqueue(*settles[k], queue, step, call, 1);
  }

  // Waits for the pass, and returns whether an element of it set `again`.
  static bool asks_again(opencl::Queue& queue, const StageView& flags, int pass) {
    opencl::enqueue_deferred(queue);
    cl::CommandQueue& commands = queue.native().queue;
    cl_int again = 0;
    opencl::command(queue.native().device, commands, "read the flags of a loop", [&] {
      const cl::Buffer buffer(static_cast<cl_mem>(flags.data), true);
      commands.enqueueReadBuffer(buffer, CL_TRUE, sizeof again * static_cast<std::size_t>(pass),
                                 sizeof again, &again);
    });
    return again != 0;
  }

  static void clear(opencl::Queue& queue, const StageView& flags, int count) {
    opencl::enqueue_deferred(queue);
    cl::CommandQueue& commands = queue.native().queue;
    opencl::command(queue.native().device, commands, "clear the flags of a loop", [&] {
      const cl::Buffer buffer(static_cast<cl_mem>(flags.data), true);
      commands.enqueueFillBuffer(buffer, cl_int{0}, 0,
                                 sizeof(cl_int) * static_cast<std::size_t>(count));
    });
  }
};

StageFileOpenCL::StageFileOpenCL(opencl::Context& context, const StageFile& file,
                                 const StagePlan& plan)
    : self_(new Private{plan, file.parameters.size(), context.device().is_cpu, {}, {}, {}, {}}) {
  const opencl::Program program = build_stage(context, file, plan);
  for (std::size_t k = 0; k < plan.steps.size(); ++k) {
    const StageStep& step = plan.steps[k];
    self_->steps.push_back(kernel(context, program, "step", k));
    self_->combines.push_back(
        step.skeleton == Skeleton::kReduce ? kernel(context, program, "combine", k) : nullptr);
    self_->adds.push_back(adds_elements(file, plan, step));
    self_->settles.push_back(step.until_settled ? kernel(context, program, "settle", k) : nullptr);
  }
}

StageFileOpenCL::~StageFileOpenCL() = default;

void StageFileOpenCL::enqueue_rows(opencl::Queue& queue, const StageCall& call, Rows rows) const {
  if (rows.count() <= 0) return;
  const StageStep& step = self_->plan.steps.front();
  StageCall own = call_of(step, call);
  own.rows = std::min(own.rows, rows.end);
  self_->enqueue(*self_->steps[0], queue, step, own, opencl::kMapRows.on_cpu(self_->is_cpu),
                 rows.begin);
}

void StageFileOpenCL::enqueue(opencl::Queue& queue, const StageCall& call) const {
  for (std::size_t k = 0; k < self_->plan.steps.size(); ++k) {
    const StageCall own = call_of(self_->plan.steps[k], call);
    switch (self_->plan.steps[k].skeleton) {
      case Skeleton::kMap:
        self_->enqueue(*self_->steps[k], queue, self_->plan.steps[k], own,
                       opencl::kMapRows.on_cpu(self_->is_cpu));
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
