// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <vector>

#include "gst/elements/stagework.h"
#include "kernels/vivid_filter/levels.h"
#include "kernels/vivid_histogram/vivid_histogram.h"

/// The tensors that the ViVid stages hand on. All levels of the pyramid lie one after the other,
/// the largest first, each dense.
namespace tandem {

/// uint8 [pixels]: the filter that each pixel votes for.
inline constexpr char kVividIndex[] = "vivid-index";
/// float32 [pixels]: how much its vote weighs.
inline constexpr char kVividWeight[] = "vivid-weight";
/// float32 [levels, 4]: width and height in pixels, frame pixels for one of its pixels, filters.
inline constexpr char kVividLevels[] = "vivid-levels";
/// float32 [cells, filters]: the votes of each cell of 8x8 pixels.
inline constexpr char kVividHistogram[] = "vivid-histogram";
/// float32 [positions]: the score of the window whose top left cell is there.
inline constexpr char kVividScore[] = "vivid-score";

/// The detector that comes with Tandem.
inline constexpr const char* kVividModel = "person.vivid";

/// The smallest first-scale of vividfilter: frames are enlarged fourfold at most.
inline constexpr double kVividLeastFirstScale = 0.25;

/// A level as the stages after the first know it, and where its part of each tensor starts.
struct VividLevel {
  int width = 0, height = 0;  ///< pixels
  float scale = 1;            ///< frame pixels for one of its pixels
  CellGrid cells;
  std::size_t first_pixel = 0, first_cell = 0, first_score = 0;
  int first_row = 0, first_cell_row = 0, first_block_row = 0;  ///< counted through all levels

  int block_rows() const { return std::max(0, cells.rows - 1); }
};

struct VividLevels {
  std::vector<VividLevel> levels;
  int filters = 0;
  std::size_t pixels = 0, cells = 0, scores = 0;
  int rows = 0, cell_rows = 0, block_rows = 0;

  /// The level of a row of cells or of blocks, counted through all levels.
  const VividLevel& of_cell_row(int row) const;
  const VividLevel& of_block_row(int row) const;

  /// Whether a tensor of as many levels says the same.
  bool matches(const float* values) const;
  /// Reads a levels tensor (which the first stage writes on the host). Throws std::runtime_error
  /// when its values make no sense.
  static VividLevels of(const Tensor& tensor);
};

}  // namespace tandem
