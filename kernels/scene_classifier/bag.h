// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/plane.h"
#include "kernels/scene_classifier/vocabulary.h"
#include "kernels/scene_features/scene_features.h"

/// Makes the input of a linear classifier from the descriptors of a frame: counts of each word in
/// the whole frame. Scenes have an above and a below, so words are also counted in each horizontal
/// stripe and in each direction. Stripes follow Lazebnik, Schmid, Ponce, "Beyond bags of features:
/// spatial pyramid matching", CVPR 2006.
namespace tandem {

struct SceneDescriptor {
  float x = 0, y = 0;  ///< of the keypoint, pixels of the frame
  float sigma = 0;     ///< its scale, pixels of the frame
  float angle = 0;     ///< its direction, in [0, 2 pi)
  float values[kSceneDescriptorSize];
};

/// Replaces a descriptor's coefficients by the square roots of their shares, by which words are
/// compared. Arandjelovic and Zisserman, "Three things everyone should know to improve object
/// retrieval", CVPR 2012.
void root_of_shares(float* descriptor);

/// Appends the descriptors of the keypoints of a band: scene_keypoints, scene_angles,
/// scene_descriptor for each direction, and root_of_shares.
void describe_scene(const SceneLayout& layout, const Half* space, float contrast, Rows rows,
                    std::vector<SceneDescriptor>& found);

/// The parts that words are counted in, beside the whole frame.
struct SceneBag {
  int words = 0;
  int stripes = 4;     ///< of equal height
  int directions = 8;  ///< sectors, the first one around 0

  /// Counts are [stripes + directions][words]: each keypoint counts in a stripe and in a direction.
  std::size_t counts() const { return size(stripes + directions); }
  /// Bags are [1 + stripes + directions][words].
  std::size_t values() const { return size(1 + stripes + directions); }

 private:
  std::size_t size(int times) const {
    return static_cast<std::size_t>(times) * static_cast<std::size_t>(words);
  }
};

/// Adds descriptors of a frame of `height` pixels to its counts. Safe from many threads on the same
/// counts.
void count_words(const SceneVocabulary& vocabulary, const SceneBag& bag, int height,
                 const std::vector<SceneDescriptor>& descriptors, int32_t* counts);

/// The bag of these counts: square roots (Hellinger's kernel) of what each is of the whole, scaled
/// to unit length. False, and all 0, where there is no word.
bool fill_bag(const int32_t* counts, const SceneBag& bag, float* values);

}  // namespace tandem
