// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/filter_bank.h"

#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pipelines/training/random.h"

namespace tandem {
namespace {

GreyImage noise(int width, int height, uint64_t seed) {
  GreyImage image{width, height, {}};
  Random random(seed);
  for (int i = 0; i < width * height; ++i)
    image.pixels.push_back(static_cast<uint8_t>(random.below(256)));
  return image;
}

float similarity(const Patch& a, const float* b) {
  return std::abs(std::inner_product(a.begin(), a.end(), b, 0.0f));
}

TEST(SamplePatches, HaveZeroMeanAndUnitNorm) {
  const auto patches = sample_patches({noise(40, 30, 1), noise(20, 50, 2)}, 500, 3);
  EXPECT_NEAR(static_cast<double>(patches.size()), 500, 5);
  for (const Patch& p : patches) {
    EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0f), 0, 1e-4);
    EXPECT_NEAR(similarity(p, p.data()), 1, 1e-4);
  }
}

TEST(SamplePatches, FollowTheContrast) {
  // Upright stripes, and lying stripes of three times their contrast: one patch to three.
  GreyImage upright{200, 200, {}}, lying{200, 200, {}};
  Random random(5);
  std::vector<int> stripes;
  stripes.reserve(200);
  for (int i = 0; i < 200; ++i) stripes.push_back(static_cast<int>(random.below(80)));
  for (int y = 0; y < 200; ++y)
    for (int x = 0; x < 200; ++x) {
      upright.pixels.push_back(static_cast<uint8_t>(stripes[x]));
      lying.pixels.push_back(static_cast<uint8_t>(3 * stripes[y]));
    }
  const auto patches = sample_patches({upright, lying}, 4000, 1);
  const auto from_upright = std::count_if(patches.begin(), patches.end(), [](const Patch& p) {
    return std::abs(p[0] - p[3]) < 1e-4 && std::abs(p[1] - p[4]) < 1e-4;
  });
  EXPECT_NEAR(static_cast<double>(patches.size()), 4000, 5);
  EXPECT_NEAR(static_cast<double>(from_upright), 1000, 20);
}

TEST(SamplePatches, GivesNoneOfAFlatPicture) {
  EXPECT_TRUE(sample_patches({{30, 30, std::vector<uint8_t>(900, 77)}}, 100, 1).empty());
  EXPECT_TRUE(sample_patches({noise(2, 2, 1)}, 100, 1).empty());
}

TEST(ClusterPatches, FindsTheDirectionsThatPatchesLieIn) {
  const Patch a = {1, 1, 1, 0, 0, 0, -1, -1, -1}, b = {1, 0, -1, 1, 0, -1, 1, 0, -1},
              c = {-1, 2, -1, 2, -4, 2, -1, 2, -1};
  std::vector<Patch> patches;
  Random random(9);
  for (int i = 0; i < 3000; ++i) {
    Patch p = i % 3 == 0 ? a : i % 3 == 1 ? b : c;
    const float sign = i % 2 ? 1.0f : -1.0f;  // a filter and its negative are one cluster
    for (float& v : p) v = sign * v + static_cast<float>(random.between(-0.1, 0.1));
    const float mean = std::accumulate(p.begin(), p.end(), 0.0f) / 9;
    for (float& v : p) v -= mean;
    const float norm = std::sqrt(similarity(p, p.data()));
    for (float& v : p) v /= norm;
    patches.push_back(p);
  }
  const FilterBank bank = cluster_patches(patches, 3, 15, 1);
  ASSERT_EQ(bank.coefficients.size(), 27u);
  for (const Patch& direction : {a, b, c}) {
    const float norm = std::sqrt(similarity(direction, direction.data()));
    float best = 0;
    for (int k = 0; k < 3; ++k)
      best = std::max(best, similarity(direction, bank.coefficients.data() + 9 * k) / norm);
    EXPECT_GT(best, 0.99f);
  }
}

TEST(ClusterPatches, DoesNotDependOnTheNumberOfThreads) {
  const auto patches = sample_patches({noise(200, 200, 4)}, 20000, 1);
  std::vector<std::vector<float>> banks;
  for (const std::size_t threads : {1, 4}) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    banks.push_back(cluster_patches(patches, 12, 5, 1).coefficients);
  }
  EXPECT_EQ(banks[0], banks[1]);
}

TEST(ClusterPatches, RefusesFewerPatchesThanFilters) {
  EXPECT_THROW(cluster_patches({Patch{1}}, 2, 5, 1), std::runtime_error);
}

}  // namespace
}  // namespace tandem
