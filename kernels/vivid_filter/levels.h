// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace tandem {

/// One level of the image pyramid in which people of one size are found.
struct Level {
  int width = 0, height = 0;    ///< pixels
  double scale = 1;             ///< frame pixels for one pixel of this level
  std::size_t first_pixel = 0;  ///< where the level starts in a packed array of all levels
  int first_row = 0;            ///< where its rows start when all levels' rows are counted through
};

/// The levels for frames of width x height. Level l is the frame shrunk by first_scale * 1.2^l
/// (first_scale < 1 enlarges it). There are `scales` levels; 0: as many as hold a 64x128 window.
/// Levels that hold none are left out, but there is always the first.
std::vector<Level> pyramid_levels(int width, int height, int scales, double first_scale);

}  // namespace tandem
