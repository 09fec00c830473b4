// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/klt_pyramid/klt_pyramid.h"
#include "kernels/klt_pyramid_cl.h"
#include "kernels/opencl/native.h"

namespace tandem {

struct KltPyramidOpenCL::Private {
  explicit Private(opencl::Context& context)
      : run(context.device().is_cpu ? 64 : 1),
        program(opencl::build_program(context, klt_pyramid_cl,
                                      "-cl-std=CL1.2 -DRUN=" + std::to_string(run))),
        luma(context, program, "blur_luma"),
        half(context, program, "blur_half"),
        gradients(context, program, "gradients"),
        group(luma.group_size(context.device().is_cpu ? 16 : 128)) {}

  std::size_t items(int width, int height) const {
    const int runs = (width + run - 1) / run * height;
    return opencl::round_up(static_cast<std::size_t>(runs), group);
  }

  const int run;  // pixels a work-item
  const opencl::Program program;
  opencl::Kernel luma, half, gradients;
  const std::size_t group;
};

KltPyramidOpenCL::KltPyramidOpenCL(opencl::Context& context)
    : self_(std::make_unique<Private>(context)) {}

KltPyramidOpenCL::~KltPyramidOpenCL() = default;

void KltPyramidOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
                               const opencl::DeviceSpan& pyramid) {
  const KltLayout layout{luma.width, luma.height};
  if (layout.pixels_of(0) == 0) return;
  const auto first = [&](int level) {
    return static_cast<cl_ulong>(pyramid.offset + layout.first(level, 0));
  };
  self_->luma.enqueue(queue, self_->items(luma.width, luma.height), self_->group, luma.mem,
                      static_cast<cl_ulong>(luma.offset), static_cast<cl_long>(luma.stride),
                      pyramid.mem, first(0), luma.width, luma.height);
  self_->half.enqueue(queue, self_->items(layout.width_of(1), layout.height_of(1)), self_->group,
                      pyramid.mem, first(0), luma.width, luma.height, first(1));
  for (int level = 0; level < KltPyramid<float>::kLevels; ++level) {
    const int width = layout.width_of(level), height = layout.height_of(level);
    self_->gradients.enqueue(queue, self_->items(width, height), self_->group, pyramid.mem,
                             first(level), width, height);
  }
}

}  // namespace tandem
