// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "kernels/scene_features/scene_features.h"

namespace tandem {

/// A blob of the scale space.
struct SceneKeypoint {
  int octave = 0;
  int gradient = 0;         ///< which of the octave's gradients is nearest to its scale
  float x = 0, y = 0;       ///< centre, pixels of its octave
  float sigma = 0;          ///< scale, pixels of its octave
  int column = 0, row = 0;  ///< of the extremum that it was refined from

  /// A length or place in its octave, in pixels of the frame: octave 0 is doubled.
  float in_frame(float length) const;
};

/// An extremum of difference 1 ... 3 with at least this share of the contrast is worth refining.
inline constexpr float kSceneExtremumShare = 0.8f;
/// Most ratio of the curvatures across and along an edge that a keypoint may lie on.
inline constexpr float kSceneMostEdge = 10;
/// Most directions of one keypoint.
inline constexpr int kSceneMostAngles = 4;

/// The keypoint at an extremum of difference `d`: moves by up to 5 whole pixels towards the maximum
/// of the parabola through the neighbours, then to that maximum. None where it is weaker than
/// `contrast`, further than 1.5 pixels or scales away, or on an edge.
std::optional<SceneKeypoint> refine_extremum(const SceneLayout& layout, const Half* space,
                                             int octave, int d, int column, int row,
                                             float contrast);

/// The directions of a keypoint in [0, 2 pi): peaks that exceed 0.8 of the highest one. Their
/// histogram has 36 directions of the gradients within 4.5 sigma, weighted by their length and a
/// Gaussian of 1.5 sigma. Returns how many; none where nothing has a direction.
int scene_angles(const SceneLayout& layout, const Half* space, const SceneKeypoint& keypoint,
                 float angles[kSceneMostAngles]);

}  // namespace tandem
