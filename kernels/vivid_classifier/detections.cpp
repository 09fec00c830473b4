// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/vivid_classifier/detections.h"

#include <algorithm>
#include <tuple>

#include "kernels/vivid_histogram/vivid_histogram.h"

namespace tandem {
namespace {

bool stronger(const Detection& a, const Detection& b) {
  return std::tie(b.score, a.y, a.x, a.height, a.width) <
         std::tie(a.score, b.y, b.x, b.height, b.width);
}

}  // namespace

float overlap(const Detection& a, const Detection& b) {
  const float width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const float height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const float both = width * height;
  return both / (a.width * a.height + b.width * b.height - both);
}

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

void suppress_overlaps(std::vector<Detection>& detections, float max_overlap, std::size_t limit) {
  std::sort(detections.begin(), detections.end(), stronger);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < detections.size() && kept < limit; ++i) {
    const Detection candidate = detections[i];
    const auto hides = [&](const Detection& d) { return overlap(d, candidate) > max_overlap; };
    const auto end = detections.begin() + static_cast<std::ptrdiff_t>(kept);
    if (std::none_of(detections.begin(), end, hides)) detections[kept++] = candidate;
  }
  detections.resize(kept);
}

}  // namespace tandem
