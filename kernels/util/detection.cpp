// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/util/detection.h"

#include <algorithm>
#include <tuple>

namespace tandem {
namespace {

bool stronger(const Detection& a, const Detection& b) {
  return std::tie(b.score, a.y, a.x, a.height, a.width, a.label) <
         std::tie(a.score, b.y, b.x, b.height, b.width, b.label);
}

}  // namespace

float overlap(const Detection& a, const Detection& b) {
  const float width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const float height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  if (width <= 0 || height <= 0) return 0;
  const float both = width * height;
  return both / (a.width * a.height + b.width * b.height - both);
}

void suppress_overlaps(std::vector<Detection>& detections, float max_overlap, std::size_t limit) {
  std::sort(detections.begin(), detections.end(), stronger);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < detections.size() && kept < limit; ++i) {
    const Detection candidate = detections[i];
    const auto hides = [&](const Detection& d) {
      return d.label == candidate.label && overlap(d, candidate) > max_overlap;
    };
    const auto end = detections.begin() + static_cast<std::ptrdiff_t>(kept);
    if (std::none_of(detections.begin(), end, hides)) detections[kept++] = candidate;
  }
  detections.resize(kept);
}

}  // namespace tandem
