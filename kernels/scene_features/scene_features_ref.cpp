// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/scene_features/scene_features.h"

namespace tandem {
namespace {

/// Outside of it is what its border is.
struct LevelImage {
  int width, height;
  std::vector<float> values;
  LevelImage(int w, int h) : width(w), height(h), values(static_cast<std::size_t>(w) * h) {}
  float& at(int x, int y) { return values[static_cast<std::size_t>(y) * width + x]; }
  float at(int x, int y) const {
    return values[static_cast<std::size_t>(std::clamp(y, 0, height - 1)) * width +
                  std::clamp(x, 0, width - 1)];
  }
};

LevelImage doubled(Plane<const uint8_t> luma) {
  LevelImage image(2 * luma.width, 2 * luma.height);
  for (int y = 0; y < image.height; ++y) {
    const uint8_t* above = luma.row(y / 2);
    const uint8_t* below = luma.row(std::min((y + 1) / 2, luma.height - 1));
    for (int x = 0; x < image.width; ++x) {
      const int left = x / 2, right = std::min((x + 1) / 2, luma.width - 1);
      image.at(x, y) = static_cast<float>(above[left] + above[right] + below[left] + below[right]) /
                       (4 * 255.0f);
    }
  }
  return image;
}

LevelImage blurred(const LevelImage& image, double sigma) {
  const std::vector<float> taps = scene_taps(sigma);
  const int radius = static_cast<int>(taps.size() / 2);
  LevelImage down(image.width, image.height), across(image.width, image.height);
  const auto blur = [&](const LevelImage& from, int step_x, int step_y, LevelImage& to) {
    for (int y = 0; y < image.height; ++y) {
      for (int x = 0; x < image.width; ++x) {
        float sum = 0;
        for (int k = -radius; k <= radius; ++k)
          sum += taps[k + radius] * from.at(x + k * step_x, y + k * step_y);
        to.at(x, y) = sum;
      }
    }
  };
  blur(image, 0, 1, down);
  blur(down, 1, 0, across);
  return across;
}

void write_gradient(const LevelImage& image, int y, Half* magnitude, Half* angle) {
  for (int x = 0; x < image.width; ++x) {
    const float dx = (image.at(x + 1, y) - image.at(x - 1, y)) / 2;
    const float dy = (image.at(x, y + 1) - image.at(x, y - 1)) / 2;
    magnitude[x] = Half(std::sqrt(dx * dx + dy * dy));
    angle[x] = Half(std::atan2(dy, dx));
  }
}

/// An octave from its level 0, and the rows of the next one's base that lie in `rows`.
void write_octave(const SceneLayout& layout, int octave, LevelImage level, Half* space,
                  float* bases, Rows rows) {
  for (int i = 1; i <= kSceneDifferences; ++i) {
    const LevelImage next = blurred(level, scene_blur(i));
    for (int y = rows.begin; y < rows.end; ++y) {
      Half* difference = layout.difference(space, octave, i - 1).row(y);
      for (int x = 0; x < next.width; ++x) difference[x] = Half(next.at(x, y) - level.at(x, y));
      if (i <= kSceneGradients) {
        write_gradient(next, y, layout.magnitude(space, octave, i - 1).row(y),
                       layout.angle(space, octave, i - 1).row(y));
      }
      if (i == kSceneScales && octave + 1 < layout.octaves() && y % 2 == 0 &&
          y / 2 < layout.height_of(octave + 1)) {
        const Plane<float> base = layout.base(bases, octave + 1);
        for (int x = 0; x < base.width; ++x) base.row(y / 2)[x] = next.at(2 * x, y);
      }
    }
    level = next;
  }
}

}  // namespace

void scene_first_octave_ref(Plane<const uint8_t> luma, Half* space, float* bases, Rows rows) {
  const SceneLayout layout{luma.width, luma.height};
  write_octave(layout, 0, blurred(doubled(luma), scene_blur(0)), space, bases, rows);
}

void scene_next_octaves_ref(const SceneLayout& layout, float* bases, Half* space) {
  for (int octave = 1; octave < layout.octaves(); ++octave) {
    const Plane<float> base = layout.base(bases, octave);
    LevelImage level(base.width, base.height);
    std::copy_n(base.data, level.values.size(), level.values.begin());
    write_octave(layout, octave, level, space, bases, {0, base.height});
  }
}

}  // namespace tandem
