// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "kernels/opencl/native.h"
#include "kernels/scene_features/scene_features.h"
#include "kernels/scene_features_cl.h"

namespace tandem {
namespace {

constexpr int kLevels = kSceneScales + 3;
// What a work-group of a GPU makes at a time, and the most pixels that a blur reaches, in fours.
constexpr int kTileWidth = 192, kTileHeight = 16, kReach = 16;
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

  /// Options of a program in which they are constants.
  std::string options() const {
    std::string all;
    for (int level = 0; level < kLevels; ++level) {
      const std::string number = std::to_string(level);
      all += opencl::define(("RADIUS_" + number).c_str(), radius[level]) + " -DTAPS_" + number;
      for (int i = 0; i <= 2 * radius[level]; ++i) {
        char text[32];
        std::snprintf(text, sizeof text, "%c%af", i == 0 ? '=' : ',',
                      static_cast<double>(values[static_cast<std::size_t>(first[level] + i)]));
        all += text;
      }
    }
    return all;
  }
};

opencl::DeviceSpan after(const opencl::DeviceSpan& span, std::size_t floats) {
  return {span.mem, span.offset + floats};
}

std::string with_none(const std::string& options) {
  return " -DNONE=0xffffffffffffffffUL" + options;
}

/// Where the planes of an octave are in the memory of the space, and its base for the next one.
struct Octave {
  int number, width, height, next_width, next_height;
  std::size_t pixels, first;
  opencl::DeviceSpan next_base;

  Octave(const SceneLayout& layout, int octave, std::size_t space, const opencl::DeviceSpan& bases)
      : number(octave),
        width(layout.width_of(octave)),
        height(layout.height_of(octave)),
        next_width(layout.width_of(octave + 1)),
        next_height(layout.height_of(octave + 1)),
        pixels(layout.pixels_of(octave)),
        first(space + layout.first_of(octave)),
        next_base(bases) {
    for (int o = 1; o <= octave; ++o) next_base.offset += layout.pixels_of(o);
    if (octave + 1 == layout.octaves()) next_base.offset = kNone;
  }

  std::size_t difference(int level) const {
    return level > 0 ? first + static_cast<std::size_t>(level - 1) * pixels : kNone;
  }
  static bool has_gradient(int level) { return level >= 1 && level <= kSceneGradients; }
  std::size_t magnitude(int level) const {
    return has_gradient(level)
               ? first + static_cast<std::size_t>(kSceneDifferences + level - 1) * pixels
               : kNone;
  }
  std::size_t angle(int level) const {
    return has_gradient(level) ? magnitude(level) + kSceneGradients * pixels : kNone;
  }
  opencl::DeviceSpan base(int level) const {
    return {next_base.mem, level == kSceneScales ? next_base.offset : kNone};
  }
};

/// Two images that levels take turns in, and one that is blurred in y alone.
struct Images {
  opencl::DeviceSpan level, other, down;
};

/// How levels are made: in another way on each sort of device.
struct LevelMaker {
  virtual ~LevelMaker() = default;
  /// An octave from `before`: octave 0 from anywhere, of the luma.
  virtual void enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma, const Octave& octave,
                       opencl::DeviceSpan before, const opencl::DeviceSpan& space,
                       Images images) = 0;
};

/// On a CPU: each pass over a whole image, in vectors of a row.
struct InRuns final : LevelMaker {
  explicit InRuns(opencl::Context& context)
      : pixels_an_item(static_cast<int>(opencl::kShortRun.of(context))),
        program(opencl::build_program(context, scene_features_cl,
                                      with_none(opencl::define("PIXELS", pixels_an_item)))),
        double_luma(context, program, "double_luma"),
        blur_down(context, program, "blur_down"),
        blur_across(context, program, "blur_across"),
        gradient(context, program, "gradient"),
        tap_values(opencl::constant_data(context, taps.values.data(),
                                         taps.values.size() * sizeof(float))) {}

  template <typename... Arguments>
  void each_run(opencl::Kernel& kernel, opencl::Queue& queue, int width, int height,
                const Arguments&... arguments) const {
    const std::size_t size = kernel.group_size(opencl::kRunGroup);
    const std::size_t items =
        opencl::pieces(width, pixels_an_item) * static_cast<std::size_t>(height);
    kernel.enqueue(queue, opencl::round_up(items, size), size, arguments...);
  }

  void enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma, const Octave& octave,
               opencl::DeviceSpan before, const opencl::DeviceSpan& space, Images images) override {
    const int width = octave.width, height = octave.height;
    if (octave.number == 0) {
      before = images.other;
      each_run(double_luma, queue, width, height, luma, before, width, height);
    }
    for (int level = octave.number == 0 ? 0 : 1; level < kLevels; ++level) {
      const cl_int first_tap = taps.first[level], radius = taps.radius[level];
      each_run(blur_down, queue, width, height, before, images.down, width, height, tap_values,
               first_tap, radius);
      each_run(blur_across, queue, width, height, images.down, before, images.level,
               opencl::DeviceSpan{space.mem, octave.difference(level)}, octave.base(level),
               octave.next_width, octave.next_height, width, height, tap_values, first_tap, radius);
      if (Octave::has_gradient(level)) {
        each_run(gradient, queue, width, height, images.level,
                 opencl::DeviceSpan{space.mem, octave.magnitude(level)},
                 cl_ulong{octave.angle(level)}, width, height);
      }
      before = images.level;
      std::swap(images.level, images.other);
    }
  }

  const int pixels_an_item;
  const Taps taps;
  const opencl::Program program;
  opencl::Kernel double_luma, blur_down, blur_across, gradient;
  const opencl::ConstantData tap_values;
};

/// On a GPU: a launch makes a level, and the gradient of the one before it.
struct InTiles final : LevelMaker {
  explicit InTiles(opencl::Context& context)
      : program(
            opencl::build_program(context, scene_features_cl,
                                  with_none(opencl::define("TILE_WIDTH", kTileWidth) +
                                            opencl::define("TILE_HEIGHT", kTileHeight) +
                                            opencl::define("REACH", kReach) + Taps().options()))) {
    for (int level = 0; level < kLevels; ++level)
      make.emplace_back(context, program, ("make_level_" + std::to_string(level)).c_str());
  }

  template <typename... Arguments>
  void each_tile(opencl::Kernel& kernel, opencl::Queue& queue, const Octave& octave,
                 const Arguments&... arguments) const {
    const std::size_t group = kernel.group_size(opencl::kBlurGroup);
    kernel.enqueue(queue,
                   cl::NDRange(group * opencl::pieces(octave.width, kTileWidth),
                               opencl::pieces(octave.height, kTileHeight)),
                   cl::NDRange(group, 1), arguments..., octave.width, octave.height);
  }

  void enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma, const Octave& octave,
               opencl::DeviceSpan before, const opencl::DeviceSpan& space, Images images) override {
    if (octave.number == 0) {
      before = images.other;
      each_tile(make[0], queue, octave, luma, before);
    }
    for (int level = 1; level < kLevels; ++level) {
      // Nothing is made from the last one.
      const std::size_t made = level + 1 < kLevels ? images.level.offset : kNone;
      each_tile(make[static_cast<std::size_t>(level)], queue, octave, before,
                opencl::DeviceSpan{images.level.mem, made}, space.mem,
                cl_ulong{octave.difference(level)}, cl_ulong{octave.magnitude(level - 1)},
                cl_ulong{octave.angle(level - 1)}, octave.base(level), octave.next_width,
                octave.next_height);
      before = images.level;
      std::swap(images.level, images.other);
    }
  }

  const opencl::Program program;
  std::deque<opencl::Kernel> make;
};

}  // namespace

struct SceneFeaturesOpenCL::Private {
  std::unique_ptr<LevelMaker> levels;
};

SceneFeaturesOpenCL::SceneFeaturesOpenCL(opencl::Context& context)
    : self_(std::make_unique<Private>()) {
  if (context.device().is_cpu) {
    self_->levels = std::make_unique<InRuns>(context);
  } else {
    self_->levels = std::make_unique<InTiles>(context);
  }
}

SceneFeaturesOpenCL::~SceneFeaturesOpenCL() = default;

void SceneFeaturesOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
                                  const opencl::DeviceSpan& space,
                                  const opencl::DeviceSpan& scratch) {
  const SceneLayout layout{luma.width, luma.height};
  const std::size_t pixels = layout.pixels_of(0);
  const Images images{scratch, after(scratch, pixels), after(scratch, 2 * pixels)};
  const opencl::DeviceSpan bases = after(scratch, 3 * pixels);
  opencl::DeviceSpan before{};
  for (int number = 0; number < layout.octaves(); ++number) {
    const Octave octave(layout, number, space.offset, bases);
    self_->levels->enqueue(queue, luma, octave, before, space, images);
    before = octave.next_base;
  }
}

}  // namespace tandem
