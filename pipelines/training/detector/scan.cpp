// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/scan.h"

namespace tandem {

void scan(const GreyImage& image, const FilterBank& bank, const PackedSvm& svm, int scales,
          double first_scale, const std::function<void(const ScannedLevel&)>& visit) {
  std::vector<float> partial, scores;
  int number = 0;
  for (const Level& level : pyramid_levels(image.width, image.height, scales, first_scale)) {
    const Cells cells = cells_of(resized(image, level.width, level.height), bank);
    const ScoreGrid grid = ScoreGrid::of(cells.grid);
    if (grid.columns > 0 && grid.rows > 0) {
      partial.resize(vivid_classifier_partial_size(cells.grid));
      vivid_classifier_rows(cells.histogram.data(), cells.grid, svm, partial.data(),
                            {0, cells.grid.rows - 1});
      scores.resize(static_cast<std::size_t>(grid.columns) * grid.rows);
      const Plane<float> plane{scores.data(), grid.columns, grid.rows, grid.columns};
      vivid_classifier_combine(partial.data(), cells.grid, svm, plane);
      visit({level, number, cells, plane});
    }
    ++number;
  }
}

std::vector<Detection> detect(const GreyImage& image, const FilterBank& bank, const PackedSvm& svm,
                              const ScanOptions& options) {
  std::vector<Detection> found;
  scan(image, bank, svm, options.scales, options.first_scale, [&](const ScannedLevel& l) {
    collect_detections(l.score, l.level.scale, options.threshold, image.width, image.height, found);
  });
  suppress_overlaps(found, options.max_overlap, options.limit);
  return found;
}

}  // namespace tandem
