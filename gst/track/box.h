// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>

namespace tandem {

/// A rectangle in pixels of the frame; need not lie inside of it, nor on whole pixels.
struct TrackBox {
  double x = 0, y = 0, width = 0, height = 0;

  double area() const { return width * height; }
};

/// Intersection over union: 0 to 1. 0 for boxes without an area.
inline double iou(const TrackBox& a, const TrackBox& b) {
  const double width = std::min(a.x + a.width, b.x + b.width) - std::max(a.x, b.x);
  const double height = std::min(a.y + a.height, b.y + b.height) - std::max(a.y, b.y);
  if (!(width > 0 && height > 0)) return 0;
  const double shared = width * height;
  return shared / (a.area() + b.area() - shared);
}

}  // namespace tandem
