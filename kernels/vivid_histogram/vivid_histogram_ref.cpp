// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>

#include "kernels/vivid_histogram/vivid_histogram.h"

namespace tandem {

void vivid_histogram_ref(Plane<const uint8_t> index, Plane<const float> weight, int filters,
                         float* histogram, Rows cell_rows) {
  constexpr int kCell = CellGrid::kCell;
  const CellGrid cells = CellGrid::of(index.width, index.height);
  for (int cy = cell_rows.begin; cy < cell_rows.end; ++cy) {
    for (int cx = 0; cx < cells.columns; ++cx) {
      float* votes = histogram + (static_cast<std::size_t>(cy) * cells.columns + cx) * filters;
      std::fill(votes, votes + filters, 0.0f);
      for (int y = 1 + cy * kCell; y < 1 + (cy + 1) * kCell; ++y) {
        for (int x = 1 + cx * kCell; x < 1 + (cx + 1) * kCell; ++x) {
          const int k = index.row(y)[x];
          if (k < filters) votes[k] += weight.row(y)[x];
        }
      }
    }
  }
}

}  // namespace tandem
