// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/vivid_classifier/detections.h"

#include <algorithm>

#include "kernels/vivid_histogram/vivid_histogram.h"

namespace tandem {
void collect_detections(Plane<const float> score, double scale, float threshold, int frame_width,
                        int frame_height, std::vector<Detection>& detections) {
  for (int y = 0; y < score.height; ++y) {
    const float* row = score.row(y);
    for (int x = 0; x < score.width; ++x) {
      if (!(row[x] >= threshold)) continue;
      // Cell (0,0) starts at pixel (1,1) of the level.
      const double left = (1 + CellGrid::kCell * x + PersonBox::kLeft) * scale;
      const double top = (1 + CellGrid::kCell * y + PersonBox::kTop) * scale;
      const double right = std::min<double>(left + PersonBox::kWidth * scale, frame_width);
      const double bottom = std::min<double>(top + PersonBox::kHeight * scale, frame_height);
      detections.push_back({static_cast<float>(left), static_cast<float>(top),
                            static_cast<float>(right - left), static_cast<float>(bottom - top),
                            row[x]});
    }
  }
}

}  // namespace tandem
