// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/scenes/scene_vocabulary.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <string>

#include "kernels/scene_classifier/scene_classifier.h"
#include "pipelines/progress.h"
#include "pipelines/training/random.h"

namespace tandem {
namespace {

constexpr std::size_t kSize = kSceneDescriptorSize;
// Chunks of so many descriptors are summed on their own and then in order: the sums do not depend
// on how many threads share the chunks.
constexpr std::size_t kChunk = 4096;

/// Calls body(begin, end, chunk) for the chunks of `count` items, in parallel.
template <typename Body>
void for_chunks(std::size_t count, Body body) {
  tbb::parallel_for(std::size_t{0}, (count + kChunk - 1) / kChunk, [&](std::size_t chunk) {
    body(chunk * kChunk, std::min(count, (chunk + 1) * kChunk), chunk);
  });
}

// Sixteen sums side by side: a single one would have to be added in order, one value at a time.
float squared_distance(const float* a, const float* b) {
  constexpr std::size_t kLanes = 16;
  float sums[kLanes] = {};
  for (std::size_t i = 0; i < kSize; i += kLanes)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const float difference = a[i + lane] - b[i + lane];
      sums[lane] += difference * difference;
    }
  return std::accumulate(sums, sums + kLanes, 0.0f);
}

/// k-means++: the next centre is a descriptor chosen in proportion to its squared distance from the
/// nearest centre so far.
std::vector<float> first_centres(const DescriptorTable& descriptors, int words, Random& random) {
  const std::size_t count = descriptors.size() / kSize;
  std::vector<float> distance(count, std::numeric_limits<float>::max());
  std::vector<double> mass((count + kChunk - 1) / kChunk);
  std::vector<float> centres(static_cast<std::size_t>(words) * kSize);
  const auto take = [&](std::size_t word, std::size_t i) {
    std::copy_n(&descriptors[i * kSize], kSize, &centres[word * kSize]);
  };
  take(0, random.below(count));
  for (std::size_t word = 1; word < static_cast<std::size_t>(words); ++word) {
    const float* last = &centres[(word - 1) * kSize];
    for_chunks(count, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
      double sum = 0;
      for (std::size_t i = begin; i < end; ++i)
        sum += distance[i] = std::min(distance[i], squared_distance(&descriptors[i * kSize], last));
      mass[chunk] = sum;
    });
    double left = random.uniform() * std::accumulate(mass.begin(), mass.end(), 0.0);
    std::size_t chunk = 0;
    while (chunk + 1 < mass.size() && left >= mass[chunk]) left -= mass[chunk++];
    std::size_t i = chunk * kChunk;
    const std::size_t end = std::min(count, i + kChunk);
    while (i + 1 < end && left >= distance[i]) left -= distance[i++];
    take(word, i);
  }
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
