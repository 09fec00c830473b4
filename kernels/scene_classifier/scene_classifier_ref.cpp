// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/scene_classifier/scene_classifier.h"
#include "kernels/scene_classifier/window.h"

namespace tandem {
namespace {

/// Greater than all 26 neighbours, in the sense of `sign`.
bool is_extremum(const SceneLayout& layout, const Half* space, int octave, int d, int x, int y,
                 float sign) {
  const float value = sign * layout.difference(space, octave, d).row(y)[x];
  for (int ds = -1; ds <= 1; ++ds) {
    const auto plane = layout.difference(space, octave, d + ds);
    for (int dy = -1; dy <= 1; ++dy)
      for (int dx = -1; dx <= 1; ++dx) {
        if (ds == 0 && dy == 0 && dx == 0) continue;
        if (!(value > sign * plane.row(y + dy)[x + dx])) return false;
      }
  }
  return true;
}

void scale_to_unit(float* values) {
  float squares = 0;
  for (int i = 0; i < kSceneDescriptorSize; ++i) squares += values[i] * values[i];
  const float norm = std::sqrt(squares) + std::numeric_limits<float>::epsilon();
  for (int i = 0; i < kSceneDescriptorSize; ++i) values[i] /= norm;
}

}  // namespace

void scene_keypoints_ref(const SceneLayout& layout, const Half* space, float contrast, Rows rows,
                         std::vector<SceneKeypoint>& found) {
  for (int octave = 0; octave < layout.octaves(); ++octave) {
    const Rows own = rows_in_octave(layout, octave, rows);
    for (int d = 1; d + 1 < kSceneDifferences; ++d) {
      const auto plane = layout.difference(space, octave, d);
      for (int y = own.begin; y < own.end; ++y)
        for (int x = 1; x + 1 < plane.width; ++x) {
          const float value = plane.row(y)[x];
          if (!(std::fabs(value) > kSceneExtremumShare * contrast)) continue;
          if (!is_extremum(layout, space, octave, d, x, y, value < 0 ? -1.0f : 1.0f)) continue;
          if (const auto k = refine_extremum(layout, space, octave, d, x, y, contrast))
            found.push_back(*k);
        }
    }
  }
}

void scene_descriptor_ref(const SceneLayout& layout, const Half* space,
                          const SceneKeypoint& keypoint, float angle, float* descriptor) {
  const auto magnitude = layout.magnitude(space, keypoint.octave, keypoint.gradient);
  const auto direction = layout.angle(space, keypoint.octave, keypoint.gradient);
  const DescriptorWindow window(keypoint, angle, magnitude.width, magnitude.height);
  std::fill_n(descriptor, kSceneDescriptorSize, 0.0f);

  for (int y = window.top; y <= window.bottom; ++y) {
    for (int x = window.left; x <= window.right; ++x) {
      const float dx = static_cast<float>(x) - keypoint.x, dy = static_cast<float>(y) - keypoint.y;
      // In cells, from the middle of the first one; and in eighths of a turn.
      const float u = (window.cosine * dx + window.sine * dy) / window.cell + 1.5f;
      const float v = (window.cosine * dy - window.sine * dx) / window.cell + 1.5f;
      float t = (direction.row(y)[x] - angle) * 4 / std::numbers::pi_v<float>;
      t -= 8 * std::floor(t / 8);
      const float weight = magnitude.row(y)[x] * window.across.at(x) * window.down.at(y);
      for (int row = 0; row < 4; ++row) {
        const float of_row = 1 - std::fabs(v - static_cast<float>(row));
        if (of_row <= 0) continue;
        for (int column = 0; column < 4; ++column) {
          const float of_column = 1 - std::fabs(u - static_cast<float>(column));
          if (of_column <= 0) continue;
          for (int k = 0; k < 8; ++k) {
            const float turn = std::fabs(t - static_cast<float>(k));
            const float of_direction = 1 - std::min(turn, 8 - turn);
            if (of_direction > 0)
              descriptor[(row * 4 + column) * 8 + k] += weight * of_row * of_column * of_direction;
          }
        }
      }
    }
  }
  scale_to_unit(descriptor);
  for (int i = 0; i < kSceneDescriptorSize; ++i)
    descriptor[i] = std::min(descriptor[i], kSceneMostShare);
  scale_to_unit(descriptor);
}

void scene_nearest_ref(const SceneVocabulary& vocabulary, const float* descriptors, int count,
                       int stride, int32_t* words) {
  for (int i = 0; i < count; ++i, descriptors += stride) {
    float nearest = std::numeric_limits<float>::infinity();
    for (int w = 0; w < vocabulary.words; ++w) {
      float squared = 0;
      for (int k = 0; k < kSceneDescriptorSize; ++k) {
        const float difference = descriptors[k] - vocabulary.at(w, k);
        squared += difference * difference;
      }
      if (squared < nearest) {
        nearest = squared;
        words[i] = w;
      }
    }
  }
}

}  // namespace tandem
