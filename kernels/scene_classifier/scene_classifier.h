// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/plane.h"
#include "kernels/scene_classifier/keypoint.h"
#include "kernels/scene_classifier/vocabulary.h"
#include "kernels/scene_features/scene_features.h"

/// Scene Recognition stage 2: keypoints of the scale space, the descriptors of their surroundings,
/// and the nearest word of a vocabulary to each (kernels/scene_classifier/bag.h goes on from
/// there). Keypoints and descriptors: Lowe, "Distinctive image features from scale-invariant
/// keypoints", International Journal of Computer Vision 60(2), 2004, with the constants of VLFeat.
/// Words: Csurka et al., "Visual categorization with bags of keypoints", ECCV workshop on
/// statistical learning in computer vision, 2004.
namespace tandem {

/// Appends the keypoints whose extremum lies in `rows` of octave 0, octave by octave: a row of
/// octave o is row * 2^o there. An extremum exceeds its 26 neighbours in place and scale, and 0.8
/// `contrast` in size. SIMD finds the same ones, up to the rounding of its places.
void scene_keypoints_ref(const SceneLayout& layout, const Half* space, float contrast, Rows rows,
                         std::vector<SceneKeypoint>& found);
void scene_keypoints_simd(const SceneLayout& layout, const Half* space, float contrast, Rows rows,
                          std::vector<SceneKeypoint>& found);

/// Gradients around a keypoint, as seen after turning by `angle`, in 4 x 4 cells of 3 sigma each.
/// They are weighted by a Gaussian of two cells, and shared linearly between neighbouring cells and
/// directions. The result is scaled to unit length, clamped to at most 0.2 each, and scaled again.
/// SIMD: within 1e-3.
void scene_descriptor_ref(const SceneLayout& layout, const Half* space,
                          const SceneKeypoint& keypoint, float angle, float* descriptor);
void scene_descriptor_simd(const SceneLayout& layout, const Half* space,
                           const SceneKeypoint& keypoint, float angle, float* descriptor);

/// The nearest word to each of `count` descriptors, which are `stride` floats apart; the first of
/// equals. SIMD: one whose distance is within rounding of the nearest.
void scene_nearest_ref(const SceneVocabulary& vocabulary, const float* descriptors, int count,
                       int stride, int32_t* words);
void scene_nearest_simd(const SceneVocabulary& vocabulary, const float* descriptors, int count,
                        int stride, int32_t* words);

}  // namespace tandem
