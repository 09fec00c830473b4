// SPDX-License-Identifier: LGPL-2.1-or-later
#include <optional>

#include "kernels/klt_pyramid/klt_pyramid.h"
#include "kernels/klt_pyramid_cl.h"
#include "kernels/klt_pyramid_layout_cl.h"
#include "kernels/opencl/native.h"

namespace tandem {

namespace {

constexpr int kPyramidTileWidth = 64,
              kPyramidTileHeight = 24;  // of level 0, which a work-group computes

}  // namespace

struct KltPyramidOpenCL::Private {
  explicit Private(opencl::Context& context) : in_tiles(!context.device().is_cpu) {
    const std::string source = std::string(klt_pyramid_layout_cl) + klt_pyramid_cl;
    if (in_tiles) {
      program = opencl::build_program(context, source,
                                      opencl::define("TILE_WIDTH", kPyramidTileWidth) +
                                          opencl::define("TILE_HEIGHT", kPyramidTileHeight));
      all.emplace(context, program, "make_pyramid");
      group = all->group_size(opencl::kTileGroup);
    } else {
      run = static_cast<int>(opencl::kRun.of(context));
      program = opencl::build_program(context, source, opencl::define("RUN", run));
      luma.emplace(context, program, "blur_luma");
      half.emplace(context, program, "blur_half");
      gradients.emplace(context, program, "gradients");
      group = luma->group_size(opencl::kRunGroup);
    }
  }

  std::size_t items(int width, int height) const {
    return opencl::round_up(opencl::pieces(width, run) * static_cast<std::size_t>(height), group);
  }

  const bool in_tiles;
  int run = 1;  // pixels a work-item
  opencl::Program program;
  std::optional<opencl::Kernel> all, luma, half, gradients;
  std::size_t group = 1;
};

KltPyramidOpenCL::KltPyramidOpenCL(opencl::Context& context)
    : self_(std::make_unique<Private>(context)) {}

KltPyramidOpenCL::~KltPyramidOpenCL() = default;

void KltPyramidOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
                               const opencl::DeviceSpan& pyramid) {
  const KltLayout layout{luma.width, luma.height};
  if (layout.pixels_of(0) == 0) return;
  const auto at = [&](int level) {
    return opencl::DeviceSpan{pyramid.mem, pyramid.offset + layout.first(level, 0)};
  };
  if (self_->in_tiles) {
    const std::size_t group = self_->group;
    self_->all->enqueue(queue,
                        cl::NDRange(group * opencl::pieces(luma.width, kPyramidTileWidth),
                                    opencl::pieces(luma.height, kPyramidTileHeight)),
                        cl::NDRange(group, 1), luma, at(0), luma.width, luma.height);
    return;
  }
  self_->luma->enqueue(queue, self_->items(luma.width, luma.height), self_->group, luma, at(0),
                       luma.width, luma.height);
  self_->half->enqueue(queue, self_->items(layout.width_of(1), layout.height_of(1)), self_->group,
                       at(0), luma.width, luma.height, static_cast<cl_ulong>(at(1).offset));
  for (int level = 0; level < KltPyramid<float>::kLevels; ++level) {
    const int width = layout.width_of(level), height = layout.height_of(level);
    self_->gradients->enqueue(queue, self_->items(width, height), self_->group, at(level), width,
                              height);
  }
}

}  // namespace tandem
