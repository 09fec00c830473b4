// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/scene_classifier/vocabulary.h"

#include <limits>

namespace tandem {

SceneVocabulary::SceneVocabulary(const std::vector<float>& values)
    : words(static_cast<int>(values.size() / kSceneDescriptorSize)) {
  const auto filled = static_cast<std::size_t>((words + kGroup - 1) / kGroup) * kGroup;
  packed.resize(filled * kSceneDescriptorSize);
  half_squares.resize(filled, std::numeric_limits<float>::max());
  for (int w = 0; w < words; ++w) {
    float squares = 0;
    for (int k = 0; k < kSceneDescriptorSize; ++k) {
      const float value = values[static_cast<std::size_t>(w) * kSceneDescriptorSize + k];
      packed[index_of(w, k)] = value;
      squares += value * value;
    }
    half_squares[w] = squares / 2;
  }
}

std::vector<float> SceneVocabulary::values() const {
  std::vector<float> all;
  all.reserve(static_cast<std::size_t>(words) * kSceneDescriptorSize);
  for (int w = 0; w < words; ++w)
    for (int k = 0; k < kSceneDescriptorSize; ++k) all.push_back(at(w, k));
  return all;
}

}  // namespace tandem
