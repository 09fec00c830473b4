// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "kernels/plane.h"
#include "kernels/vivid_classifier/vivid_classifier.h"
#include "kernels/vivid_filter/vivid_filter.h"
#include "pipelines/training/dataset/dataset.h"
#include "pipelines/training/dataset/photograph.h"

namespace tandem {

/// The cell histograms of one level of a photograph.
struct Cells {
  CellGrid grid;
  std::vector<float> histogram;  ///< as vivid_histogram writes it
};

/// The rectangle of `image`, whose border is repeated where the rectangle reaches over it.
GreyImage cut_out(const GreyImage& image, int left, int top, int width, int height);

/// `source` at another size.
GreyImage resized(const GreyImage& source, int width, int height);

/// Stages 1 and 2 on a whole level.
Cells cells_of(const GreyImage& level, const FilterBank& bank);

/// The features of a window of 8x16 cells. The 42000 coefficients of its 105 blocks repeat
/// each cell up to four times, so the cells are kept once and the factor of each block beside them.
struct Window {
  std::vector<float> root_cells;  ///< sqrt of the 128 cell histograms, filters values each
  std::vector<float> factors;     ///< (|block|_1 + epsilon)^-1/2 of the 105 blocks

  /// The window whose top left cell is (x, y).
  Window(const Cells& cells, int filters, int x, int y, float epsilon);

  float dot(const std::vector<float>& weights) const;
  void add_to(std::vector<float>& weights, float times) const;
  float squared_norm() const;
};

/// A window cut out of `image` so that `person` fills its PersonBox; the photograph's border is
/// repeated where the window reaches over it.
Cells cells_around(const GreyImage& image, const Box& person, const FilterBank& bank);

}  // namespace tandem
