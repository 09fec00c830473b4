// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/elements/vivid/vividtensors.h"

#include <algorithm>
#include <stdexcept>

#include "kernels/vivid_classifier/vivid_classifier.h"

namespace tandem {
VividLevels VividLevels::of(const Tensor& tensor) {
  constexpr float kMostPixels = 1 << 16;  // a side
  const char* const problem = "the tensor 'vivid-levels' on the frame has invalid values";
  if (tensor.spec.dimensions != 2 || tensor.spec.shape[1] != 4) throw std::runtime_error(problem);
  const auto* values = static_cast<const float*>(tensor.values());
  VividLevels all;
  for (std::size_t i = 0; i < tensor.spec.shape[0]; ++i, values += 4) {
    const bool sane = values[0] >= 1 && values[0] <= kMostPixels && values[1] >= 1 &&
                      values[1] <= kMostPixels && values[2] > 0 && values[3] >= 1 &&
                      values[3] <= 255;
    if (!sane) throw std::runtime_error(problem);
    VividLevel level;
    level.width = static_cast<int>(values[0]);
    level.height = static_cast<int>(values[1]);
    level.scale = values[2];
    all.filters = static_cast<int>(values[3]);
    level.cells = CellGrid::of(level.width, level.height);
    level.first_pixel = all.pixels;
    level.first_cell = all.cells;
    level.first_score = all.scores;
    level.first_row = all.rows;
    level.first_cell_row = all.cell_rows;
    level.first_block_row = all.block_rows;
    const ScoreGrid scores = ScoreGrid::of(level.cells);
    all.pixels += static_cast<std::size_t>(level.width) * level.height;
    all.cells += static_cast<std::size_t>(level.cells.columns) * level.cells.rows;
    all.scores += static_cast<std::size_t>(scores.columns) * scores.rows;
    all.rows += level.height;
    all.cell_rows += level.cells.rows;
    all.block_rows += level.block_rows();
    all.levels.push_back(level);
  }
  return all;
}

const VividLevel& VividLevels::of_cell_row(int row) const {
  return *std::ranges::find_if(
      levels, [=](const VividLevel& l) { return row < l.first_cell_row + l.cells.rows; });
}

const VividLevel& VividLevels::of_block_row(int row) const {
  return *std::ranges::find_if(
      levels, [=](const VividLevel& l) { return row < l.first_block_row + l.block_rows(); });
}

bool VividLevels::matches(const float* values) const {
  return std::all_of(levels.begin(), levels.end(), [&](const VividLevel& level) {
    const bool same = values[0] == static_cast<float>(level.width) &&
                      values[1] == static_cast<float>(level.height) && values[2] == level.scale &&
                      values[3] == static_cast<float>(filters);
    values += 4;
    return same;
  });
}

}  // namespace tandem
