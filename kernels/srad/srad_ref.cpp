// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>

#include "kernels/srad/srad.h"

namespace tandem {

void srad_extract_ref(Plane<const uint8_t> luma, Plane<float> image, Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = 0; x < image.width; ++x)
      image.row(y)[x] = static_cast<float>(std::exp(luma.row(y)[x] / 255.0));
  }
}

void srad_prepare_ref(Plane<const float> image, Plane<float> squares, Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = 0; x < image.width; ++x) squares.row(y)[x] = image.row(y)[x] * image.row(y)[x];
  }
}

void srad_reduce_ref(Plane<const float> image, Plane<const float> squares, SradSums* sums,
                     Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y) {
    sums[y] = {};
    for (int x = 0; x < image.width; ++x) {
      sums[y].image += image.row(y)[x];
      sums[y].squares += squares.row(y)[x];
    }
  }
}

SradStatistics srad_combine(const SradSums* sums, int width, int height) {
  SradSums all;
  for (int y = 0; y < height; ++y) {
    all.image += sums[y].image;
    all.squares += sums[y].squares;
  }
  return srad_statistics(all, width, height);
}

SradStatistics srad_statistics(const SradSums& all, int width, int height) {
  const double pixels = static_cast<double>(width) * height;
  const double mean = all.image / pixels;
  const double variation = (all.squares / pixels - mean * mean) / (mean * mean);
  return {static_cast<float>(mean),
          variation < kSradLeastVariation ? 0.0f : static_cast<float>(variation)};
}

void srad_diffuse_ref(Plane<const float> image, float variation, Plane<float> differences,
                      Plane<float> coefficient, Rows rows) {
  const int width = image.width, height = image.height;
  const double q0 = variation;
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = 0; x < width; ++x) {
      const double pixel = image.row(y)[x];
      const double north = image.row(std::max(y - 1, 0))[x] - pixel;
      const double south = image.row(std::min(y + 1, height - 1))[x] - pixel;
      const double west = image.row(y)[std::max(x - 1, 0)] - pixel;
      const double east = image.row(y)[std::min(x + 1, width - 1)] - pixel;
      const double gradient2 =
          (north * north + south * south + west * west + east * east) / (pixel * pixel);
      const double laplacian = (north + south + west + east) / pixel;
      const double spread = 1 + laplacian / 4;
      const double q = (gradient2 / 2 - laplacian * laplacian / 16) / (spread * spread);
      const double c = q0 > 0 ? 1 / (1 + (q - q0) / (q0 * (1 + q0))) : 0;
      differences.row(y)[x] = static_cast<float>(south);
      differences.row(height + y)[x] = static_cast<float>(east);
      coefficient.row(y)[x] = static_cast<float>(std::clamp(c, 0.0, 1.0));
    }
  }
}

void srad_update_ref(Plane<const float> image, Plane<const float> differences,
                     Plane<const float> coefficient, float lambda, Plane<float> updated,
                     Rows rows) {
  const int width = image.width, height = image.height;
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = 0; x < width; ++x) {
      const double north = y > 0 ? -differences.row(y - 1)[x] : 0;
      const double south = differences.row(y)[x];
      const double west = x > 0 ? -differences.row(height + y)[x - 1] : 0;
      const double east = differences.row(height + y)[x];
      const double here = coefficient.row(y)[x];
      const double below = coefficient.row(std::min(y + 1, height - 1))[x];
      const double right = coefficient.row(y)[std::min(x + 1, width - 1)];
      const double divergence = here * north + below * south + here * west + right * east;
      updated.row(y)[x] =
          static_cast<float>(image.row(y)[x] + static_cast<double>(lambda) / 4 * divergence);
    }
  }
}

void srad_compress_ref(Plane<const float> image, Plane<uint8_t> luma, Rows rows) {
  for (int y = rows.begin; y < rows.end; ++y) {
    for (int x = 0; x < image.width; ++x) {
      const double level = 255 * std::log(static_cast<double>(image.row(y)[x]));
      luma.row(y)[x] = static_cast<uint8_t>(std::lround(std::clamp(level, 0.0, 255.0)));
    }
  }
}

}  // namespace tandem
