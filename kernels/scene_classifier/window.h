// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/plane.h"
#include "kernels/scene_classifier/keypoint.h"

namespace tandem {

/// exp(-(i - centre)^2 / (2 sigma^2)) at whole places i within `reach` of the middle one: a
/// Gaussian in x and y is the product of two.
class Gaussian {
 public:
  static constexpr int kMostReach = 64;

  Gaussian(float centre, int middle, float sigma, int reach);

  float at(int place) const { return values_[place - first_]; }
  const float* from(int place) const { return values_ + (place - first_); }
  int reach() const { return reach_; }

 private:
  int first_, reach_;
  float values_[2 * kMostReach + 1 + 16];  // vectors may read, not use, some behind the end
};

/// Most that one coefficient of a descriptor may have of its length: strong edges rule less.
inline constexpr float kSceneMostShare = 0.2f;

/// Where a descriptor is taken from: pixels from which its 4 x 4 cells, whatever their direction,
/// get something. The border of the octave counts for nothing.
struct DescriptorWindow {
  float cell;          ///< side of a cell, pixels
  float cosine, sine;  ///< of the direction
  int left, right, top, bottom;
  Gaussian across, down;

  DescriptorWindow(const SceneKeypoint& keypoint, float angle, int width, int height);
};

/// The rows of an octave, less its border, that belong to `rows` of octave 0.
Rows rows_in_octave(const SceneLayout& layout, int octave, Rows rows);

}  // namespace tandem
