// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "pipelines/tandem/check_stage/stage_check.h"

namespace tandem {
namespace {

// Levels of what is dark and light in a video: black and white of BT.601.
constexpr int kDark = 16, kLight = 235;

/// A plane being filled: `level(x, y)` of each element.
template <typename Level>
std::vector<uint8_t> filled(int width, int height, const Level& level) {
  std::vector<uint8_t> levels;
  levels.reserve(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) levels.push_back(static_cast<uint8_t>(level(x, y)));
  return levels;
}

// Squares of 16 pixels, which begin elsewhere with each seed.
int edge_level(unsigned seed, int x, int y) {
  constexpr int kSquare = 16;
  const int shift = static_cast<int>(seed % kSquare);
  return ((x + shift) / kSquare + (y + shift) / kSquare) % 2 != 0 ? kLight : kDark;
}

// The finaliser of MurmurHash3: neighbouring numbers become unlike ones.
unsigned mixed(unsigned value) {
  value = (value ^ value >> 16) * 0x85ebca6bU;
  value = (value ^ value >> 13) * 0xc2b2ae35U;
  return value ^ value >> 16;
}

// Lines of letters: 8x10 pixels of random strokes, two pixels wide, in cells of 12x16.
int text_level(unsigned seed, int x, int y) {
  constexpr int kCellWidth = 12, kCellHeight = 16, kLetterWidth = 8, kLetterHeight = 10;
  if (x % kCellWidth >= kLetterWidth || y % kCellHeight >= kLetterHeight) return kLight;
  const unsigned dot =
      mixed(static_cast<unsigned>(y / 2) + mixed(static_cast<unsigned>(x / 2) + seed));
  return dot % 2 != 0 ? kDark : kLight;
}

std::vector<uint8_t> blobs(unsigned seed, int width, int height) {
  struct Blob {
    double x, y, radius;
  };
  std::mt19937 random(seed);
  const auto share = [&] { return static_cast<double>(random() % 1000) / 1000; };
  std::array<Blob, 5> all{};
  for (Blob& blob : all)
    blob = {share() * width, share() * height,
            1 + (0.02 + 0.15 * share()) * std::max(width, height)};
  return filled(width, height, [&](int x, int y) {
    double light = 0;
    for (const Blob& blob : all) {
      const double dx = (x - blob.x) / blob.radius, dy = (y - blob.y) / blob.radius;
      light = std::max(light, std::exp(-dx * dx - dy * dy));
    }
    return kDark + (kLight - kDark) * light;
  });
}

}  // namespace

const char* name_of(Scene scene) {
  constexpr std::array kNames{"noise", "gradient", "edges", "blobs",
                              "text",  "black",    "white", "picture"};
  return kNames.at(static_cast<std::size_t>(scene));
}

std::vector<uint8_t> levels_of(Scene scene, unsigned seed, int width, int height,
                               const GreyImage* picture) {
  std::mt19937 random(seed);
  const int begin = static_cast<int>(seed * 37 % 256);
  switch (scene) {
    case Scene::kNoise:
      return filled(width, height, [&](int, int) { return random() % 256; });
    case Scene::kGradient:
      return filled(width, height,
                    [&](int x, int y) { return (begin + (x + y) * 255 / (width + height)) % 256; });
    case Scene::kEdges:
      return filled(width, height, [&](int x, int y) { return edge_level(seed, x, y); });
    case Scene::kBlobs:
      return blobs(seed, width, height);
    case Scene::kText:
      return filled(width, height, [&](int x, int y) { return text_level(seed, x, y); });
    case Scene::kBlack:
      return filled(width, height, [](int, int) { return 0; });
    case Scene::kWhite:
      return filled(width, height, [](int, int) { return 255; });
    case Scene::kPicture:
      break;
  }
  const Plane<const uint8_t> from = picture->plane();
  return filled(width, height, [&](int x, int y) {
    const auto at = [](int i, int to, int of) {
      return static_cast<int>(static_cast<int64_t>(i) * of / to);
    };
    return from.row(at(y, height, from.height))[at(x, width, from.width)];
  });
}

}  // namespace tandem
