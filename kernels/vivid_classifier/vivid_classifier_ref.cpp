// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "kernels/vivid_classifier/vivid_classifier.h"

namespace tandem {
namespace {

/// The contribution of the block of cells at (cx, cy) .. (cx+1, cy+1) to a window's score.
double block_score(const float* histogram, CellGrid cells, const LinearSvm& svm, int cx, int cy,
                   const float* weights) {
  double norm = svm.epsilon, dot = 0;
  for (int c = 0; c < 4; ++c) {
    const std::size_t cell = static_cast<std::size_t>(cy + c / 2) * cells.columns + cx + c % 2;
    for (int k = 0; k < svm.filters; ++k) {
      const double h = histogram[cell * svm.filters + k];
      norm += h;
      dot += weights[c * svm.filters + k] * std::sqrt(h);
    }
  }
  return dot / std::sqrt(norm);
}

}  // namespace

ScoreGrid ScoreGrid::of(CellGrid cells) {
  return {std::max(0, cells.columns - VividWindow::kCellColumns + 1),
          std::max(0, cells.rows - VividWindow::kCellRows + 1)};
}

void vivid_classifier_ref(const float* histogram, CellGrid cells, const LinearSvm& svm,
                          Plane<float> score) {
  for (int y = 0; y < score.height; ++y) {
    for (int x = 0; x < score.width; ++x) {
      double sum = svm.bias;
      for (int by = 0; by < VividWindow::kBlockRows; ++by) {
        for (int bx = 0; bx < VividWindow::kBlockColumns; ++bx) {
          const int block = by * VividWindow::kBlockColumns + bx;
          const float* weights = &svm.weights[static_cast<std::size_t>(block) * 4 * svm.filters];
          sum += block_score(histogram, cells, svm, x + bx, y + by, weights);
        }
      }
      score.row(y)[x] = static_cast<float>(sum);
    }
  }
}

}  // namespace tandem
