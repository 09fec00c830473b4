// SPDX-License-Identifier: LGPL-2.1-or-later
#include <optional>
#include <utility>

#include "kernels/opencl/native.h"
#include "kernels/scene_features/scene_features.h"
#include "kernels/scene_features_cl.h"

namespace tandem {
namespace {

constexpr int kLevels = kSceneScales + 3;
constexpr int kBlurRows = 4;  // that an item blurs at a time where each is one pixel wide
constexpr std::size_t kNone = ~std::size_t{0};  // NONE of the kernels: nothing is written there

/// The taps of all blurs, one after the other.
struct Taps {
  std::vector<float> values;
  cl_int first[kLevels], radius[kLevels];

  Taps() {
    for (int level = 0; level < kLevels; ++level) {
      const std::vector<float> taps = scene_taps(scene_blur(level));
      first[level] = static_cast<cl_int>(values.size());
      radius[level] = static_cast<cl_int>(taps.size() / 2);
      values.insert(values.end(), taps.begin(), taps.end());
    }
  }
};

opencl::DeviceSpan after(const opencl::DeviceSpan& span, std::size_t floats) {
  return {span.mem, span.offset + floats};
}

}  // namespace

struct SceneFeaturesOpenCL::Private {
  explicit Private(opencl::Context& context)
      : pixels_an_item(static_cast<int>(opencl::kShortRun.of(context))),
        program(opencl::build_program(context, scene_features_cl,
                                      " -DNONE=0xffffffffffffffffUL" +
                                          opencl::define("PIXELS", pixels_an_item) +
                                          opencl::define("ROWS", kBlurRows))),
        double_luma(context, program, "double_luma"),
        blur(context, program, pixels_an_item == 1 ? "blur" : "blur_across"),
        gradient(context, program, "gradient"),
        blur_group(blur.group_size(opencl::kBlurGroup)),
        tap_values(opencl::constant_data(context, taps.values.data(),
                                         taps.values.size() * sizeof(float))) {
    if (pixels_an_item > 1) blur_down.emplace(context, program, "blur_down");
  }

  template <typename... Arguments>
  void enqueue(opencl::Kernel& kernel, opencl::Queue& queue, int width, int height,
               const Arguments&... arguments) const {
    const std::size_t size = kernel.group_size(opencl::kRunGroup);
    const std::size_t items =
        opencl::pieces(width, pixels_an_item) * static_cast<std::size_t>(height);
    kernel.enqueue(queue, opencl::round_up(items, size), size, arguments...);
  }

  /// Two images that levels take turns in, and one that is blurred in y alone.
  struct Scratch {
    opencl::DeviceSpan level, other, down, bases;
  };
  void enqueue_octave(opencl::Queue& queue, const SceneLayout& layout, int octave,
                      opencl::DeviceSpan before, const opencl::DeviceSpan& space, Scratch scratch);

  const int pixels_an_item;
  const Taps taps;
  const opencl::Program program;
  opencl::Kernel double_luma, blur, gradient;
  std::optional<opencl::Kernel> blur_down;  // of a CPU
  const std::size_t blur_group;
  const opencl::ConstantData tap_values;
};

void SceneFeaturesOpenCL::Private::enqueue_octave(opencl::Queue& queue, const SceneLayout& layout,
                                                  int octave, opencl::DeviceSpan before,
                                                  const opencl::DeviceSpan& space,
                                                  Scratch scratch) {
  const int width = layout.width_of(octave), height = layout.height_of(octave);
  const std::size_t pixels = layout.pixels_of(octave);
  const opencl::DeviceSpan planes = after(space, layout.first_of(octave));
  const bool has_next = octave + 1 < layout.octaves();
  std::size_t next_base = scratch.bases.offset;
  for (int o = 1; o <= octave; ++o) next_base += layout.pixels_of(o);
  for (int level = octave == 0 ? 0 : 1; level < kLevels; ++level) {
    const opencl::DeviceSpan difference{space.mem,
                                        level > 0 ? planes.offset + (level - 1) * pixels : kNone};
    const opencl::DeviceSpan base{scratch.bases.mem,
                                  level == kSceneScales && has_next ? next_base : kNone};
    const auto make_level = [&](auto&& enqueue_blur) {
      enqueue_blur(before, scratch.level, difference, base, layout.width_of(octave + 1),
                   layout.height_of(octave + 1), width, height, tap_values, taps.first[level],
                   taps.radius[level]);
    };
    if (blur_down) {
      enqueue(*blur_down, queue, width, height, before, scratch.down, width, height, tap_values,
              taps.first[level], taps.radius[level]);
      make_level([&](const auto&... arguments) {
        enqueue(blur, queue, width, height, scratch.down, arguments...);
      });
    } else {
      const std::size_t groups =
          opencl::pieces(width, static_cast<int>(blur_group)) * opencl::pieces(height, kBlurRows);
      const std::size_t held =
          kBlurRows * (blur_group + 2 * static_cast<std::size_t>(taps.radius[level]));
      make_level([&](const auto&... arguments) {
        blur.enqueue(queue, groups * blur_group, blur_group, arguments...,
                     opencl::LocalMemory{held * sizeof(float)});
      });
    }
    if (level >= 1 && level <= kSceneGradients) {
      const opencl::DeviceSpan magnitude = after(planes, (kSceneDifferences + level - 1) * pixels);
      enqueue(gradient, queue, width, height, scratch.level, magnitude,
              static_cast<cl_ulong>(magnitude.offset + kSceneGradients * pixels), width, height);
    }
    before = scratch.level;
    std::swap(scratch.level, scratch.other);
  }
}

SceneFeaturesOpenCL::SceneFeaturesOpenCL(opencl::Context& context)
    : self_(std::make_unique<Private>(context)) {}

SceneFeaturesOpenCL::~SceneFeaturesOpenCL() = default;

void SceneFeaturesOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
                                  const opencl::DeviceSpan& space,
                                  const opencl::DeviceSpan& scratch) {
  const SceneLayout layout{luma.width, luma.height};
  const int width = layout.width_of(0), height = layout.height_of(0);
  const std::size_t pixels = layout.pixels_of(0);
  const Private::Scratch images{scratch, after(scratch, pixels), after(scratch, 2 * pixels),
                                after(scratch, 3 * pixels)};
  self_->enqueue(self_->double_luma, queue, width, height, luma, images.other, width, height);
  self_->enqueue_octave(queue, layout, 0, images.other, space, images);
  opencl::DeviceSpan base = images.bases;
  for (int octave = 1; octave < layout.octaves(); ++octave) {
    self_->enqueue_octave(queue, layout, octave, base, space, images);
    base.offset += layout.pixels_of(octave);
  }
}

}  // namespace tandem
