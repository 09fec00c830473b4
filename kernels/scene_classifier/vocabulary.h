// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <vector>

namespace tandem {

/// 4 x 4 cells of a keypoint's surroundings, row after row, with 8 directions each.
inline constexpr int kSceneDescriptorSize = 128;

/// Words as the search for the nearest reads them: in groups of 32, coefficient by coefficient.
struct SceneVocabulary {
  static constexpr int kGroup = 32;

  int words = 0;
  std::vector<float> packed;        ///< [groups][128][32]; the last group is filled up with zeros
  std::vector<float> half_squares;  ///< |w|^2 / 2 of each; of what fills up, too much to be near

  SceneVocabulary() = default;
  explicit SceneVocabulary(const std::vector<float>& values);  ///< [words][128]
  std::vector<float> values() const;                           ///< [words][128]

  float at(int word, int k) const { return packed[index_of(word, k)]; }

 private:
  static std::size_t index_of(int word, int k) {
    return (static_cast<std::size_t>(word / kGroup) * kSceneDescriptorSize + k) * kGroup +
           word % kGroup;
  }
};

}  // namespace tandem
