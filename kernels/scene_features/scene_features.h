// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"

/// Scene Recognition stage 1: the Gaussian scale space of a frame, its differences, and the
/// gradients that descriptors are made from. Lowe, "Distinctive image features from scale-invariant
/// keypoints", International Journal of Computer Vision 60(2), 2004, with the scales of VLFeat.
namespace tandem {

/// Scales an octave.
inline constexpr int kSceneScales = 3;
/// Planes of one octave: differences of neighbouring Gaussians; gradients of the scales at which
/// keypoints may lie.
inline constexpr int kSceneDifferences = kSceneScales + 2;
inline constexpr int kSceneGradients = kSceneScales;
inline constexpr int kScenePlanes = kSceneDifferences + 2 * kSceneGradients;
/// Smallest width or height of a frame, pixels.
inline constexpr int kSceneLeastSide = 16;

/// Blur of Gaussian level i = 0 ... kSceneScales + 2 in pixels of its octave. Level 1 is sigma0 =
/// 1.6 * 2^(1/3), level 0 is the 1.6 that an octave starts with, level kSceneScales twice that.
inline double scene_sigma(int level) {
  return 1.6 * std::exp2(static_cast<double>(level) / kSceneScales);
}
/// Blur that the camera is assumed to have left in the frame, in its pixels.
inline constexpr double kSceneCameraSigma = 0.5;

/// How the Gaussians are made: the frame, divided by 255, is doubled (even pixels are the frame's,
/// odd ones the mean of their neighbours, the last one repeated) and blurred to level 0; each level
/// of an octave is the one before blurred by what is missing; the next octave starts with every
/// second pixel, from 0, of level kSceneScales. A blur of sigma has taps exp(-x^2 / (2 sigma^2))
/// up to x = ceil(4 sigma), divided by their sum, in x and in y; outside of the image is what its
/// border is.
///
/// Where everything is in one dense array of floats. Octave 0 has twice the frame's size, each
/// further one half of the one before, rounded down, while the shorter side has 32 pixels: 5
/// octaves at 256x256. In an octave come the planes, row after row without padding:
///   difference d = 0 ... 4: Gaussian level d + 1 minus level d, of an image in [0, 1]
///   magnitude  g = 0 ... 2: length of the gradient of Gaussian level g + 1, per pixel of the
///                           octave: half the difference of the neighbours, the border repeated
///   angle      g = 0 ... 2: its direction in [-pi, pi], from x (right) towards y (down)
struct SceneLayout {
  int width = 0, height = 0;  ///< of the frame, pixels

  int octaves() const { return std::bit_width(static_cast<unsigned>(std::min(width, height))) - 4; }
  int width_of(int octave) const { return (2 * width) >> octave; }
  int height_of(int octave) const { return (2 * height) >> octave; }
  std::size_t pixels_of(int octave) const {
    return static_cast<std::size_t>(width_of(octave)) * static_cast<std::size_t>(height_of(octave));
  }
  std::size_t first_of(int octave) const {
    std::size_t first = 0;
    for (int o = 0; o < octave; ++o) first += kScenePlanes * pixels_of(o);
    return first;
  }
  std::size_t floats() const { return first_of(octaves()); }

  template <typename T>
  Plane<T> difference(T* data, int octave, int d) const {
    return plane(data, octave, d);
  }
  template <typename T>
  Plane<T> magnitude(T* data, int octave, int g) const {
    return plane(data, octave, kSceneDifferences + g);
  }
  template <typename T>
  Plane<T> angle(T* data, int octave, int g) const {
    return plane(data, octave, kSceneDifferences + kSceneGradients + g);
  }

 private:
  template <typename T>
  Plane<T> plane(T* data, int octave, int index) const {
    const int w = width_of(octave);
    return {data + first_of(octave) + static_cast<std::size_t>(index) * pixels_of(octave), w,
            height_of(octave), w};
  }
};

}  // namespace tandem
