// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/klt_pyramid/klt_pyramid.h"
#include "kernels/klt_pyramid_cl.h"
#include "kernels/klt_pyramid_layout_cl.h"

namespace tandem {

namespace {

constexpr int kPyramidTileWidth = 64,
              kPyramidTileHeight = 24;  // of level 0, which a work-group computes

}  // namespace

KltPyramidOpenCL::KltPyramidOpenCL(opencl::Context& context) : in_tiles_(!context.device().is_cpu) {
  const std::string source = std::string(klt_pyramid_layout_cl) + klt_pyramid_cl;
  if (in_tiles_) {
    const auto program =
        opencl::build_program(context, source,
                              opencl::define("TILE_WIDTH", kPyramidTileWidth) +
                                  opencl::define("TILE_HEIGHT", kPyramidTileHeight));
    all_.emplace(context, program, "make_pyramid");
    group_ = all_->group_size(opencl::kTileGroup);
  } else {
    run_ = static_cast<int>(opencl::kRun.of(context));
    const auto program = opencl::build_program(context, source, opencl::define("RUN", run_));
    luma_.emplace(context, program, "blur_luma");
    half_.emplace(context, program, "blur_half");
    gradients_.emplace(context, program, "gradients");
    group_ = luma_->group_size(opencl::kRunGroup);
  }
}

std::size_t KltPyramidOpenCL::items(int width, int height) const {
  return opencl::round_up(opencl::pieces(width, run_) * static_cast<std::size_t>(height), group_);
}

void KltPyramidOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
                               const opencl::DeviceSpan& pyramid) {
  const KltLayout layout{luma.width, luma.height};
  if (layout.pixels_of(0) == 0) return;
  const auto at = [&](int level) {
    return opencl::DeviceSpan{pyramid.mem, pyramid.offset + layout.first(level, 0)};
  };
  if (in_tiles_) {
    all_->enqueue(queue,
                  opencl::WorkSize(group_ * opencl::pieces(luma.width, kPyramidTileWidth),
                                   opencl::pieces(luma.height, kPyramidTileHeight)),
                  opencl::WorkSize(group_, 1), luma, at(0), luma.width, luma.height);
    return;
  }
  luma_->enqueue(queue, items(luma.width, luma.height), group_, luma, at(0), luma.width,
                 luma.height);
  half_->enqueue(queue, items(layout.width_of(1), layout.height_of(1)), group_, at(0), luma.width,
                 luma.height, static_cast<uint64_t>(at(1).offset));
  for (int level = 0; level < KltPyramid<float>::kLevels; ++level) {
    const int width = layout.width_of(level), height = layout.height_of(level);
    gradients_->enqueue(queue, items(width, height), group_, at(level), width, height);
  }
}

}  // namespace tandem
