// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <bit>

#include "kernels/klt_flow/klt_flow.h"
#include "kernels/klt_flow_cl.h"
#include "kernels/klt_pyramid_layout_cl.h"

namespace tandem {
namespace {

constexpr int kRun = 8;            // as in klt_flow.cl
constexpr std::size_t kSums = 10;  // floats of local memory that each work-item adds up with
/// Bytes of local memory that a work-group takes at most: no more groups than have room would be
/// at work with 500 features.
constexpr std::size_t kMostWindowBytes = 47 << 10;

/// A GPU hides its latency behind many work-items; its registers may allow fewer than it has.
opencl::Kernel kernel_for(opencl::Context& context, std::size_t& items) {
  const std::string source = std::string(klt_pyramid_layout_cl) + klt_flow_cl;
  const std::size_t wanted = opencl::kFeatureGroup.of(context);
  for (items = std::bit_floor(std::min(wanted, context.device().max_work_group));; items /= 2) {
    opencl::Kernel kernel(context,
                          opencl::build_program(context, source, opencl::define("ITEMS", items)),
                          "klt_flow");
    if (items == 1 || kernel.max_group() >= items) return kernel;
  }
}

}  // namespace

KltFlowOpenCL::KltFlowOpenCL(opencl::Context& context) : kernel_(kernel_for(context, items_)) {
  const std::size_t all =
      std::min<std::size_t>(context.device().local_memory_bytes, kMostWindowBytes);
  const std::size_t summed = kSums * items_ * sizeof(float);
  kept_bytes_ = std::max(all, summed + kRun * 2 * sizeof(float)) - summed;
}

void KltFlowOpenCL::enqueue(opencl::Queue& queue, const KltLayout& layout,
                            const opencl::DeviceSpan& previous, const opencl::DeviceSpan& current,
                            const opencl::DeviceSpan& features, int count,
                            const KltFlowSettings& settings, const opencl::DeviceSpan& vectors) {
  if (count <= 0) return;
  const int side = 2 * settings.window;
  const std::size_t runs = opencl::pieces(side, kRun) * static_cast<std::size_t>(side);
  const std::size_t kept = std::min(runs, kept_bytes_ / (kRun * 2 * sizeof(float)));
  kernel_.enqueue(queue, static_cast<std::size_t>(count) * items_, items_, previous, current,
                  layout.width, layout.height, settings.window, settings.iterations,
                  settings.accuracy, features, vectors, static_cast<int>(kept),
                  opencl::LocalMemory{kept * kRun * 2 * sizeof(float)},
                  opencl::LocalMemory{kSums * items_ * sizeof(float)});
}

}  // namespace tandem
