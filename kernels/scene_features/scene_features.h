// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"
#include "kernels/util/half.h"
#include "kernels/util/shared_rows.h"
#include "kernels/util/stop.h"

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

/// Blur of Gaussian level i = 0 ... kSceneScales + 2 in pixels of its octave. Level 0 is the 1.6
/// that an octave starts with, level kSceneScales twice that. Level 1 is `sigma0 = 1.6 * 2^(1/3)`.
inline double scene_sigma(int level) {
  return 1.6 * std::exp2(static_cast<double>(level) / kSceneScales);
}
/// Blur that the camera is assumed to have left in the frame, in its pixels.
inline constexpr double kSceneCameraSigma = 0.5;

/// Blur that makes level `level` from the one before it, and level 0 from the doubled frame.
inline double scene_blur(int level) {
  const double before = level == 0 ? 2 * kSceneCameraSigma : scene_sigma(level - 1);
  return std::sqrt(scene_sigma(level) * scene_sigma(level) - before * before);
}
/// The taps of a blur, as below: an odd number of them, the middle one for x = 0.
inline std::vector<float> scene_taps(double sigma) {
  const int radius = static_cast<int>(std::ceil(4 * sigma));
  std::vector<double> taps;
  double sum = 0;
  for (int x = -radius; x <= radius; ++x) {
    taps.push_back(std::exp(-x * x / (2 * sigma * sigma)));
    sum += taps.back();
  }
  for (double& tap : taps) tap /= sum;
  return {taps.begin(), taps.end()};
}

/// The frame, divided by 255, is doubled (even pixels are the frame's, odd ones the mean of their
/// neighbours, the last one repeated) and blurred to Gaussian level 0. Each level of an octave is
/// the one before blurred by what is missing. The next octave starts with every second pixel of
/// level kSceneScales, from 0. A blur of sigma has taps `exp(-x^2 / (2 sigma^2))` up to
/// `x = ceil(4 sigma)`, divided by their sum, in x and in y. The border is repeated outside.
///
/// All planes lie in one dense array of halves. Floats are rounded when they are written, and
/// computations from them start from floats again. Octave 0 has twice the frame's size. Each
/// further one has half of the one before, rounded down, while the shorter side has 32 pixels.
/// There are 5 octaves at 256x256. In an octave come the planes, row after row without padding:
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
  /// Halves of the whole space.
  std::size_t values() const { return first_of(octaves()); }

  /// Size of another dense array, of floats: level 0 of each octave but the first.
  std::size_t base_floats() const {
    std::size_t floats = 0;
    for (int o = 1; o < octaves(); ++o) floats += pixels_of(o);
    return floats;
  }
  /// Level 0 of octave 1 or a later one.
  template <typename T>
  Plane<T> base(T* bases, int octave) const {
    for (int o = 1; o < octave; ++o) bases += pixels_of(o);
    return {bases, width_of(octave), height_of(octave), width_of(octave)};
  }

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

/// Rows of octave 0, which has twice as many as the frame, and of octave 1's base those that they
/// hold. `space` has SceneLayout::values() of the luma's size, `bases` base_floats(). Safe from
/// many threads on disjoint rows; halo 48 rows, which each band blurs for itself; allocates nothing
/// once a thread has seen the width. Results do not depend on the bands. No side of the luma is
/// shorter than kSceneLeastSide. Once `stop` says so, rows that are not made yet are left out.
///
/// Fast versions agree before they are rounded to halves: differences and magnitudes to 1e-5,
/// angles to `1e-4 + 2e-6 / magnitude`, modulo 2 pi. Where the roundings differ, the distance from
/// one half to the next is added, at most 2^-10 of the value.
void scene_first_octave_ref(Plane<const uint8_t> luma, Half* space, float* bases, Rows rows);
void scene_first_octave_simd(Plane<const uint8_t> luma, Half* space, float* bases, Rows rows,
                             Stop stop = {});

/// All other octaves, when octave 1's base is there; the later ones are written.
void scene_next_octaves_ref(const SceneLayout& layout, float* bases, Half* space);
void scene_next_octaves_simd(const SceneLayout& layout, float* bases, Half* space, Stop stop = {});

/// All of a frame on the threads that call this with the same `progress`, which is of this frame
/// alone. The frame is there when all of them have returned.
void scene_features_share(Plane<const uint8_t> luma, Half* space, float* bases,
                          SharedRows& progress, Stop stop = {});

/// The whole space of one frame, on this thread. Throws std::invalid_argument when it is too small.
inline std::vector<Half> scene_features(Plane<const uint8_t> luma) {
  const SceneLayout layout{luma.width, luma.height};
  if (layout.octaves() < 1)
    throw std::invalid_argument("scene features need at least 16x16 pixels: enlarge the picture");
  std::vector<Half> space(layout.values());
  std::vector<float> bases(layout.base_floats());
  scene_first_octave_simd(luma, space.data(), bases.data(), {0, layout.height_of(0)});
  scene_next_octaves_simd(layout, bases.data(), space.data());
  return space;
}

/// The same on the device, all rows. One thread at a time. `space` and `scratch` are dense, of
/// SceneLayout::values() halves and scratch_floats().
class SceneFeaturesOpenCL {
 public:
  explicit SceneFeaturesOpenCL(opencl::Context& context);  ///< throws opencl::Error
  ~SceneFeaturesOpenCL();
  static std::size_t scratch_floats(const SceneLayout& layout) {
    return 3 * layout.pixels_of(0) + layout.base_floats();
  }
  void enqueue(opencl::Queue& queue, const opencl::DevicePlane& luma,
               const opencl::DeviceSpan& space, const opencl::DeviceSpan& scratch);

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem
