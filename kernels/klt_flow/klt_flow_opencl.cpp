// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <bit>

#include "kernels/klt_flow/klt_flow.h"
#include "kernels/klt_flow_cl.h"
#include "kernels/klt_pyramid_layout_cl.h"
#include "kernels/opencl/native.h"

namespace tandem {
namespace {

constexpr int kRun = 8;            // as in klt_flow.cl
constexpr std::size_t kSums = 10;  // floats of local memory that each work-item adds up with
/// Bytes of local memory that a work-group takes at most: no more groups than have room would be
/// at work with 500 features.
constexpr std::size_t kMostWindowBytes = 47 << 10;

struct Built {
  std::size_t items;  // of a work-group, which follows one feature
  opencl::Kernel kernel;
};

/// A GPU hides its latency behind many work-items; its registers may allow fewer than it has.
Built build(opencl::Context& context) {
  const std::string source = std::string(klt_pyramid_layout_cl) + klt_flow_cl;
  const std::size_t wanted = opencl::kFeatureGroup.of(context);
  for (std::size_t items = std::bit_floor(std::min(wanted, context.device().max_work_group));;
       items /= 2) {
    opencl::Kernel kernel(context,
                          opencl::build_program(context, source, opencl::define("ITEMS", items)),
                          "klt_flow");
    if (items == 1 || kernel.max_group() >= items) return {items, std::move(kernel)};
  }
}

}  // namespace

struct KltFlowOpenCL::Private {
  explicit Private(opencl::Context& context) : built(build(context)) {
    const std::size_t all =
        std::min<std::size_t>(context.device().local_memory_bytes, kMostWindowBytes);
    const std::size_t summed = kSums * built.items * sizeof(cl_float);
    kept_bytes = std::max(all, summed + kRun * sizeof(cl_float2)) - summed;
  }

  Built built;
  std::size_t kept_bytes;  // for gradients
};

KltFlowOpenCL::KltFlowOpenCL(opencl::Context& context)
    : self_(std::make_unique<Private>(context)) {}

KltFlowOpenCL::~KltFlowOpenCL() = default;

void KltFlowOpenCL::enqueue(opencl::Queue& queue, const KltLayout& layout,
                            const opencl::DeviceSpan& previous, const opencl::DeviceSpan& current,
                            const opencl::DeviceSpan& features, int count,
                            const KltFlowSettings& settings, const opencl::DeviceSpan& vectors) {
  if (count <= 0) return;
  const std::size_t group = self_->built.items;
  const int side = 2 * settings.window;
  const std::size_t runs = opencl::pieces(side, kRun) * static_cast<std::size_t>(side);
  const std::size_t kept = std::min(runs, self_->kept_bytes / (kRun * sizeof(cl_float2)));
  self_->built.kernel.enqueue(
      queue, static_cast<std::size_t>(count) * group, group, previous, current, layout.width,
      layout.height, settings.window, settings.iterations, settings.accuracy, features, vectors,
      static_cast<cl_int>(kept), opencl::LocalMemory{kept * kRun * sizeof(cl_float2)},
      opencl::LocalMemory{kSums * group * sizeof(cl_float)});
}

}  // namespace tandem
