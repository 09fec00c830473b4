// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/scene_classifier/window.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tandem {
namespace {

constexpr float kSigmasOfCell = 3;
constexpr float kBellCells = 2;

int reach_of(float cell) {
  // Half the diagonal of five cells: linear shares reach half a cell over the four.
  return static_cast<int>(std::numbers::sqrt2_v<float> * cell * 2.5f + 0.5f);
}

}  // namespace

Gaussian::Gaussian(float centre, int middle, float sigma, int reach)
    : first_(middle - std::min(reach, kMostReach)), reach_(std::min(reach, kMostReach)) {
  const float factor = -1 / (2 * sigma * sigma);
  for (int i = 0; i <= 2 * reach_; ++i) {
    const float d = static_cast<float>(first_ + i) - centre;
    values_[i] = std::exp(d * d * factor);
  }
  std::fill(values_ + 2 * reach_ + 1, values_ + sizeof values_ / sizeof *values_, 0.0f);
}

DescriptorWindow::DescriptorWindow(const SceneKeypoint& keypoint, float angle, int width,
                                   int height)
    : cell(kSigmasOfCell * keypoint.sigma),
      cosine(std::cos(angle)),
      sine(std::sin(angle)),
      across(keypoint.x, static_cast<int>(keypoint.x + 0.5f), kBellCells * cell, reach_of(cell)),
      down(keypoint.y, static_cast<int>(keypoint.y + 0.5f), kBellCells * cell, reach_of(cell)) {
  const int column = static_cast<int>(keypoint.x + 0.5f), row = static_cast<int>(keypoint.y + 0.5f);
  left = std::max(1, column - across.reach());
  right = std::min(width - 2, column + across.reach());
  top = std::max(1, row - down.reach());
  bottom = std::min(height - 2, row + down.reach());
}

Rows rows_in_octave(const SceneLayout& layout, int octave, Rows rows) {
  const auto shifted = [octave](int row) { return (row + (1 << octave) - 1) >> octave; };
  return {std::max(1, shifted(rows.begin)),
          std::min(layout.height_of(octave) - 1, shifted(rows.end))};
}

}  // namespace tandem
