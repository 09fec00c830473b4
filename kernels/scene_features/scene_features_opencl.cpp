// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>
#include <deque>
#include <memory>
#include <string>
#include <utility>

#include "kernels/opencl/kernel.h"
#include "kernels/scene_features/scene_features.h"
#include "kernels/scene_features_cl.h"

namespace tandem {
namespace {

constexpr int kLevels = kSceneScales + 3;
// The tile of a GPU's work-group, and the most pixels that a blur reaches, in fours.
constexpr int kSceneTileWidth = 192, kSceneTileHeight = 8, kReach = 16;
constexpr std::size_t kNone = ~std::size_t{0};  // NONE of the kernels: nothing is written there

/// The taps of all blurs, one after the other.
struct Taps {
  std::vector<float> values;
  int first[kLevels], radius[kLevels];

  Taps() {
    for (int level = 0; level < kLevels; ++level) {
      const std::vector<float> taps = scene_taps(scene_blur(level));
      first[level] = static_cast<int>(values.size());
      radius[level] = static_cast<int>(taps.size() / 2);
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

opencl::DeviceSpan after(const opencl::DeviceSpan& span, std::size_t elements) {
  return {span.mem, span.offset + elements};
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

/// How a space is made: in another way on each sort of device.
struct SpaceMaker {
  virtual ~SpaceMaker() = default;
  virtual void enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
                       const SceneLayout& layout, const opencl::DeviceSpan& space,
                       const opencl::DeviceSpan& scratch) = 0;
};

/// The bases of the octaves, behind the images in the scratch.
opencl::DeviceSpan bases_in(const opencl::DeviceSpan& scratch, const SceneLayout& layout) {
  return after(scratch, 3 * layout.pixels_of(0));
}

/// On a CPU: each pass over a whole image, in vectors of a row.
struct InRuns final : SpaceMaker {
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

  /// Two images that levels take turns in, and one that is blurred in y alone.
  struct Images {
    opencl::DeviceSpan level, other, down;
  };

  void enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma, const SceneLayout& layout,
               const opencl::DeviceSpan& space, const opencl::DeviceSpan& scratch) override {
    const std::size_t pixels = layout.pixels_of(0);
    const Images images{scratch, after(scratch, pixels), after(scratch, 2 * pixels)};
    const opencl::DeviceSpan bases = bases_in(scratch, layout);
    each_run(double_luma, queue, layout.width_of(0), layout.height_of(0), luma, images.other,
             layout.width_of(0), layout.height_of(0));
    opencl::DeviceSpan before = images.other;
    for (int number = 0; number < layout.octaves(); ++number) {
      const Octave octave(layout, number, space.offset, bases);
      enqueue_octave(queue, octave, before, space, images);
      before = octave.next_base;
    }
  }

  void enqueue_octave(opencl::Queue& queue, const Octave& octave, opencl::DeviceSpan before,
                      const opencl::DeviceSpan& space, Images images) {
    const int width = octave.width, height = octave.height;
    for (int level = octave.number == 0 ? 0 : 1; level < kLevels; ++level) {
      const int first_tap = taps.first[level], radius = taps.radius[level];
      each_run(blur_down, queue, width, height, before, images.down, width, height, tap_values,
               first_tap, radius);
      each_run(blur_across, queue, width, height, images.down, before, images.level,
               opencl::DeviceSpan{space.mem, octave.difference(level)}, octave.base(level),
               octave.next_width, octave.next_height, width, height, tap_values, first_tap, radius);
      if (Octave::has_gradient(level)) {
        each_run(gradient, queue, width, height, images.level,
                 opencl::DeviceSpan{space.mem, octave.magnitude(level)},
                 uint64_t{octave.angle(level)}, width, height);
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

/// On a GPU: a launch makes a level, and the gradient of the one before it. The last two levels of
/// an octave are made together with the first two of the next one, which need not wait for them.
struct InTiles final : SpaceMaker {
  explicit InTiles(opencl::Context& context)
      : program(
            opencl::build_program(context, scene_features_cl,
                                  with_none(opencl::define("TILE_WIDTH", kSceneTileWidth) +
                                            opencl::define("TILE_HEIGHT", kSceneTileHeight) +
                                            opencl::define("REACH", kReach) + Taps().options()))),
        first_level(context, program, "make_level_0") {
    for (const char* name : {"make_level_1", "make_level_2", "make_level_3", "make_level_4",
                             "make_level_5", "make_levels_4_1", "make_levels_5_2"})
      levels.emplace_back(context, program, name);
  }

  /// As in scene_features.cl.
  struct Level {
    uint64_t image, level, difference, magnitude, angle, base;
    int base_width, base_height, width, height;
    int tiles() const {
      return static_cast<int>(opencl::pieces(width, kSceneTileWidth) *
                              opencl::pieces(height, kSceneTileHeight));
    }
  };

  /// Level `level` of an octave. Levels take turns in two images; so do octaves in two pairs of
  /// them.
  static Level level_of(const SceneLayout& layout, int number, int level,
                        const opencl::DeviceSpan& space, const opencl::DeviceSpan& scratch) {
    const opencl::DeviceSpan bases = bases_in(scratch, layout);
    const Octave octave(layout, number, space.offset, bases);
    const auto image = [&](int l) -> std::size_t {
      if (l == 0 && number > 0) return Octave(layout, number - 1, 0, bases).next_base.offset;
      const std::size_t pair = number % 2 == 0 ? 0 : 2 * layout.pixels_of(0);
      return scratch.offset + pair + (l % 2 == 0 ? 0 : octave.pixels);
    };
    // Nothing is made from the last level.
    return {image(level - 1),
            level + 1 < kLevels ? image(level) : kNone,
            octave.difference(level),
            octave.magnitude(level - 1),
            octave.angle(level - 1),
            octave.base(level).offset,
            octave.next_width,
            octave.next_height,
            octave.width,
            octave.height};
  }

  void enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma, const SceneLayout& layout,
               const opencl::DeviceSpan& space, const opencl::DeviceSpan& scratch) override {
    const auto launch = [&](opencl::Kernel& kernel, int tiles, const auto&... arguments) {
      const std::size_t group = kernel.group_size(opencl::kBlurGroup);
      kernel.enqueue(queue, group * static_cast<std::size_t>(tiles), group, arguments...);
    };
    const auto level_at = [&](int octave, int level) {
      return level_of(layout, octave, level, space, scratch);
    };
    Level first = level_at(0, 1);  // level 0 is what it is made from
    first.level = first.image;
    first.difference = first.base = kNone;
    launch(first_level, first.tiles(), luma, scratch.mem, first);
    const int last = layout.octaves() - 1;
    for (int octave = 0; octave <= last; ++octave) {
      for (int level = octave == 0 ? 1 : 3; level < kLevels; ++level) {
        const Level made = level_at(octave, level);
        if (level <= 3 || octave == last) {
          launch(levels[static_cast<std::size_t>(level - 1)], made.tiles(), scratch.mem,
                 scratch.mem, space.mem, made);
        } else {
          const Level next = level_at(octave + 1, level - 3);
          launch(levels[static_cast<std::size_t>(level + 1)], made.tiles() + next.tiles(),
                 scratch.mem, scratch.mem, space.mem, made.tiles(), made, next);
        }
      }
    }
  }

  const opencl::Program program;
  opencl::Kernel first_level;
  std::deque<opencl::Kernel> levels;
};

}  // namespace

struct SceneFeaturesOpenCL::Private {
  std::unique_ptr<SpaceMaker> maker;
};

SceneFeaturesOpenCL::SceneFeaturesOpenCL(opencl::Context& context)
    : self_(std::make_unique<Private>()) {
  if (context.device().is_cpu) {
    self_->maker = std::make_unique<InRuns>(context);
  } else {
    self_->maker = std::make_unique<InTiles>(context);
  }
}

SceneFeaturesOpenCL::~SceneFeaturesOpenCL() = default;

void SceneFeaturesOpenCL::enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
                                  const opencl::DeviceSpan& space,
                                  const opencl::DeviceSpan& scratch) {
  self_->maker->enqueue(queue, luma, {luma.width, luma.height}, space, scratch);
}

}  // namespace tandem
