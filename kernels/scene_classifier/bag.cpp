// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/scene_classifier/bag.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "kernels/scene_classifier/scene_classifier.h"

namespace tandem {

void root_of_shares(float* descriptor) {
  float sum = std::numeric_limits<float>::min();
  for (int i = 0; i < kSceneDescriptorSize; ++i) sum += descriptor[i];
  for (int i = 0; i < kSceneDescriptorSize; ++i) descriptor[i] = std::sqrt(descriptor[i] / sum);
}

void describe_scene(const SceneLayout& layout, const Half* space, float contrast, Rows rows,
                    std::vector<SceneDescriptor>& found) {
  thread_local std::vector<SceneKeypoint> keypoints;
  keypoints.clear();
  scene_keypoints_simd(layout, space, contrast, rows, keypoints);
  for (const SceneKeypoint& keypoint : keypoints) {
    float angles[kSceneMostAngles];
    const int count = scene_angles(layout, space, keypoint, angles);
    for (int i = 0; i < count; ++i) {
      SceneDescriptor& descriptor = found.emplace_back();
      descriptor.x = keypoint.in_frame(keypoint.x);
      descriptor.y = keypoint.in_frame(keypoint.y);
      descriptor.sigma = keypoint.in_frame(keypoint.sigma);
      descriptor.angle = angles[i];
      scene_descriptor_simd(layout, space, keypoint, angles[i], descriptor.values);
      root_of_shares(descriptor.values);
    }
  }
}

void count_words(const SceneVocabulary& vocabulary, const SceneBag& bag, int height,
                 const std::vector<SceneDescriptor>& descriptors, int32_t* counts) {
  if (descriptors.empty()) return;
  thread_local std::vector<int32_t> nearest;
  nearest.resize(descriptors.size());
  scene_nearest_simd(vocabulary, descriptors[0].values, static_cast<int>(descriptors.size()),
                     sizeof(SceneDescriptor) / sizeof(float), nearest.data());
  const float stripe = static_cast<float>(bag.stripes) / static_cast<float>(height);
  const float sector = static_cast<float>(bag.directions) / (2 * std::numbers::pi_v<float>);
  for (std::size_t i = 0; i < descriptors.size(); ++i) {
    const auto add = [&](int channel) {
      std::atomic_ref(counts[static_cast<std::ptrdiff_t>(channel) * bag.words + nearest[i]])
          .fetch_add(1, std::memory_order_relaxed);
    };
    add(std::clamp(static_cast<int>(descriptors[i].y * stripe), 0, bag.stripes - 1));
    const auto direction = static_cast<int>(descriptors[i].angle * sector + 0.5f);
    add(bag.stripes + direction % bag.directions);
  }
}

bool fill_bag(const int32_t* counts, const SceneBag& bag, float* values) {
  const auto words = static_cast<std::size_t>(bag.words);
  std::copy_n(counts, bag.counts(), values + words);
  std::fill_n(values, words, 0.0f);
  const auto stripes = static_cast<std::size_t>(bag.stripes);
  for (std::size_t i = 0; i < stripes * words; ++i)
    values[i % words] += static_cast<float>(counts[i]);
  const float sum = std::accumulate(values, values + words, 0.0f);
  if (sum == 0) return false;
  // Each keypoint is there three times: in the whole, a stripe, and a direction.
  const float share = 1 / (3 * sum);
  for (std::size_t i = 0; i < bag.values(); ++i) values[i] = std::sqrt(values[i] * share);
  return true;
}

}  // namespace tandem
