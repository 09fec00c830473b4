// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/vivid_filter/levels.h"

#include <algorithm>
#include <cmath>

namespace tandem {

std::vector<Level> pyramid_levels(int width, int height, int scales, double first_scale) {
  constexpr double kStep = 1.2;
  // A window and the one-pixel border that has no votes.
  constexpr int kLeastWidth = 64 + 2, kLeastHeight = 128 + 2;
  std::vector<Level> levels;
  std::size_t pixels = 0;
  int rows = 0;
  for (int l = 0; scales == 0 || l < scales; ++l) {
    const double scale = first_scale * std::pow(kStep, l);
    Level level;
    level.scale = scale;
    level.width = std::max(1, static_cast<int>(std::lround(width / scale)));
    level.height = std::max(1, static_cast<int>(std::lround(height / scale)));
    if (l > 0 && (level.width < kLeastWidth || level.height < kLeastHeight)) break;
    level.first_pixel = pixels;
    level.first_row = rows;
    pixels += static_cast<std::size_t>(level.width) * level.height;
    rows += level.height;
    levels.push_back(level);
  }
  return levels;
}

}  // namespace tandem
