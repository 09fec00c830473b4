// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "gst/elements/stagework.h"
#include "kernels/scene_features/scene_features.h"

/// The tensors of the stages of Scene Recognition.
namespace tandem {

/// float16 [SceneLayout::values()] for the frame's size: the scale space and its gradients.
inline constexpr char kSceneSpace[] = "scene-space";
/// float32 [classes]: the margin of each class's SVM; all 0 for a frame without a keypoint.
inline constexpr char kSceneMargins[] = "scene-margins";

/// The scale space has no octave: a side of the frame is below kSceneLeastSide.
inline bool is_empty(const SceneLayout& layout) { return layout.values() == 0; }

}  // namespace tandem
