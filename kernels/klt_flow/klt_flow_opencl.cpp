// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <bit>

#include "kernels/klt_flow/klt_flow.h"
#include "kernels/klt_flow_cl.h"
#include "kernels/opencl/native.h"

namespace tandem {
namespace {

/// Work-items that follow one feature: a GPU hides its latency behind many.
int items_of(const opencl::Context& context) {
  const std::size_t wanted = context.device().is_cpu ? 16 : 128;
  return static_cast<int>(std::bit_floor(std::min(wanted, context.device().max_work_group)));
}

}  // namespace

struct KltFlowOpenCL::Private {
  explicit Private(opencl::Context& context)
      : items(items_of(context)),
        kernel(context,
               opencl::build_program(context, klt_flow_cl,
                                     "-cl-std=CL1.2 -DITEMS=" + std::to_string(items)),
               "klt_flow") {
    if (kernel.max_group() < static_cast<std::size_t>(items))
      throw opencl::Error("klt_flow needs work-groups of " + std::to_string(items));
  }

  const int items;
  opencl::Kernel kernel;
};

KltFlowOpenCL::KltFlowOpenCL(opencl::Context& context)
    : self_(std::make_unique<Private>(context)) {}

KltFlowOpenCL::~KltFlowOpenCL() = default;

void KltFlowOpenCL::enqueue(opencl::Queue& queue, const KltLayout& layout,
                            const opencl::DeviceSpan& previous, const opencl::DeviceSpan& current,
                            const opencl::DeviceSpan& features, int count,
                            const KltFlowSettings& settings, const opencl::DeviceSpan& vectors) {
  if (count <= 0) return;
  const auto group = static_cast<std::size_t>(self_->items);
  const auto offset = [](const opencl::DeviceSpan& span) {
    return static_cast<cl_ulong>(span.offset);
  };
  self_->kernel.enqueue(queue, static_cast<std::size_t>(count) * group, group, previous.mem,
                        offset(previous), current.mem, offset(current), layout.width, layout.height,
                        settings.window, settings.iterations, settings.accuracy, features.mem,
                        offset(features), vectors.mem, offset(vectors),
                        opencl::LocalMemory{group * 8 * sizeof(cl_float)});
}

}  // namespace tandem
