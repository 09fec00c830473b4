// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/scenes/scene_vocabulary.h"

#include <stdexcept>
#include <string>

#include "kernels/scene_classifier/scene_classifier.h"
#include "pipelines/training/k_means.h"

namespace tandem {
namespace {

constexpr std::size_t kSize = kSceneDescriptorSize;
float squared_distance(const float* a, const float* b) {
  return sum_in_lanes(kSize, [&](std::size_t i) { return (a[i] - b[i]) * (a[i] - b[i]); });
}

std::vector<float> first_centres(const DescriptorTable& descriptors, int words, Random& random) {
  std::vector<float> centres;
  choose_first_centres(
      descriptors.size() / kSize, words, random,
      [&](std::size_t i) {
        return squared_distance(&descriptors[i * kSize], centres.data() + centres.size() - kSize);
      },
      [&](std::size_t i) {
        const auto from = descriptors.begin() + static_cast<std::ptrdiff_t>(i * kSize);
        centres.insert(centres.end(), from, from + kSize);
      });
  return centres;
}

/// The mean of each word's descriptors.
void move_centres(const DescriptorTable& descriptors, const std::vector<int32_t>& word,
                  std::vector<float>& centres) {
  std::vector<double> sums(centres.size());
  std::vector<int> members(centres.size() / kSize);
  for (std::size_t i = 0; i < word.size(); ++i) {
    double* sum = &sums[static_cast<std::size_t>(word[i]) * kSize];
    for (std::size_t k = 0; k < kSize; ++k) sum[k] += descriptors[i * kSize + k];
    ++members[static_cast<std::size_t>(word[i])];
  }
  for (std::size_t w = 0; w < members.size(); ++w) {
    if (members[w] == 0) continue;
    for (std::size_t k = 0; k < kSize; ++k)
      centres[w * kSize + k] = static_cast<float>(sums[w * kSize + k] / members[w]);
  }
}

}  // namespace

SceneVocabulary cluster_descriptors(const DescriptorTable& descriptors, int words, int rounds,
                                    uint64_t seed) {
  const std::size_t count = descriptors.size() / kSize;
  if (count < static_cast<std::size_t>(words))
    throw std::runtime_error("only " + std::to_string(count) + " keypoints for " +
                             std::to_string(words) +
                             " words: give more pictures, a lower --contrast or fewer --words");
  Random random(seed);
  std::vector<float> centres = first_centres(descriptors, words, random);
  Progress progress("words, rounds", rounds);
  std::vector<int32_t> word(count, -1);
  for (int round = 0; round < rounds; ++round) {
    const std::vector<int32_t> before = word;
    const SceneVocabulary vocabulary(centres);
    for_chunks(count, [&](std::size_t begin, std::size_t end, std::size_t) {
      scene_nearest_simd(vocabulary, &descriptors[begin * kSize], static_cast<int>(end - begin),
                         kSize, &word[begin]);
    });
    progress.advance();
    if (word == before) break;
    move_centres(descriptors, word, centres);
  }
  return SceneVocabulary(centres);
}

}  // namespace tandem
