// SPDX-License-Identifier: LGPL-2.1-or-later
#include <vector>

#include "kernels/klt_pyramid/klt_pyramid.h"

namespace tandem {
namespace {

/// Rows of floats that start at zero.
struct Image {
  int width, height;
  std::vector<float> values;
  Image(int w, int h) : width(w), height(h), values(static_cast<std::size_t>(w) * h) {}
  float& at(int x, int y) { return values[static_cast<std::size_t>(y) * width + x]; }
  float at(int x, int y) const { return values[static_cast<std::size_t>(y) * width + x]; }
};

float blur(float a, float b, float c, float d, float e) {
  return (a + 4 * b + 6 * c + 4 * d + e) / 16;
}

/// `value(x, y)` is what is blurred, of width x height.
template <typename Value>
Image blurred(int width, int height, const Value& value) {
  Image across(width, height), down(width, height);
  for (int y = 2; y < height - 2; ++y) {
    for (int x = 2; x < width - 2; ++x) {
      across.at(x, y) =
          blur(value(x - 2, y), value(x - 1, y), value(x, y), value(x + 1, y), value(x + 2, y));
    }
  }
  for (int y = 2; y < height - 2; ++y) {
    for (int x = 2; x < width - 2; ++x) {
      down.at(x, y) = blur(across.at(x, y - 2), across.at(x, y - 1), across.at(x, y),
                           across.at(x, y + 1), across.at(x, y + 2));
    }
  }
  return down;
}

Image every_second(const Image& image) {
  Image half((image.width + 1) / 2, (image.height + 1) / 2);
  for (int y = 0; y < half.height; ++y) {
    for (int x = 0; x < half.width; ++x) {
      const bool inside = 2 * x + 2 < image.width && 2 * y + 2 < image.height;
      half.at(x, y) = inside ? image.at(2 * x + 2, 2 * y + 2) : 0;
    }
  }
  return half;
}

/// `step_x`, `step_y`: the direction that is differentiated; the other one is smoothed.
Image gradient(const Image& image, int step_x, int step_y) {
  Image difference(image.width, image.height), smooth(image.width, image.height);
  for (int y = 1; y < image.height - 1; ++y) {
    for (int x = 1; x < image.width - 1; ++x) {
      difference.at(x, y) =
          (image.at(x + step_x, y + step_y) - image.at(x - step_x, y - step_y)) / 2;
    }
  }
  for (int y = 1; y < image.height - 1; ++y) {
    for (int x = 1; x < image.width - 1; ++x) {
      smooth.at(x, y) = (difference.at(x - step_y, y - step_x) + 2 * difference.at(x, y) +
                         difference.at(x + step_y, y + step_x)) /
                        4;
    }
  }
  return smooth;
}

void copy_rows(const Image& image, Plane<float> plane, Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = 0; x < image.width; ++x) plane.row(y)[x] = image.at(x, y);
  }
}

void copy_level(const Image& image, const KltLevel<float>& level, Rows rows) {
  copy_rows(image, level.image, rows);
  copy_rows(gradient(image, 1, 0), level.dx, rows);
  copy_rows(gradient(image, 0, 1), level.dy, rows);
}

}  // namespace

void klt_pyramid_ref(Plane<const uint8_t> luma, const KltPyramid<float>& pyramid, Rows rows) {
  const Image full = blurred(luma.width, luma.height,
                             [&](int x, int y) { return static_cast<float>(luma.row(y)[x]); });
  const Image half =
      every_second(blurred(luma.width, luma.height, [&](int x, int y) { return full.at(x, y); }));
  copy_level(full, pyramid.levels[0], rows);
  copy_level(half, pyramid.levels[1], {(rows.begin + 1) / 2, (rows.end + 1) / 2});
}

}  // namespace tandem
