// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cmath>

#include "pipelines/training/dataset/dataset.h"
#include "pipelines/training/dataset/photograph.h"
#include "pipelines/training/random.h"

/// Pictures of figures that a detector learns quickly.
namespace tandem {

inline GreyImage noise(int width, int height, Random& random) {
  GreyImage image{width, height, {}};
  for (int i = 0; i < width * height; ++i)
    image.pixels.push_back(static_cast<uint8_t>(100 + random.below(30)));
  return image;
}

/// A figure with a head, a body and two legs, where the box says.
inline void draw_figure(GreyImage& image, const Box& box) {
  for (int y = 0; y < static_cast<int>(box.height); ++y)
    for (int x = 0; x < static_cast<int>(box.width); ++x) {
      const double u = 2 * x / box.width - 1, v = y / box.height;
      const bool head = std::hypot(u * 0.4, v - 0.1) < 0.1;
      const bool body = v >= 0.2 && v < 0.55 && std::abs(u) < 0.7;
      const bool leg = v >= 0.55 && std::abs(u) > 0.15 && std::abs(u) < 0.6;
      if (head || body || leg)
        image.pixels[static_cast<std::size_t>(box.y + y) * image.width +
                     static_cast<std::size_t>(box.x) + x] = 230;
    }
}

}  // namespace tandem
