// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "kernels/plane.h"
#include "kernels/scene_classifier/bell.h"
#include "kernels/scene_classifier/keypoint.h"

namespace tandem {

/// Most that one coefficient of a descriptor may have of its length: strong edges rule less.
inline constexpr float kSceneMostShare = 0.2f;

/// Where a descriptor is taken from: pixels from which its 4 x 4 cells, whatever their direction,
/// get something. The border of the octave counts for nothing.
struct DescriptorWindow {
  float cell;          ///< side of a cell, pixels
  float cosine, sine;  ///< of the direction
  int left, right, top, bottom;
  Bell across, down;

  DescriptorWindow(const SceneKeypoint& keypoint, float angle, int width, int height);
};

/// The rows of an octave, less its border, that belong to `rows` of octave 0.
Rows rows_in_octave(const SceneLayout& layout, int octave, Rows rows);

}  // namespace tandem
