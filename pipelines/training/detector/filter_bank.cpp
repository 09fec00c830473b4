// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/filter_bank.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pipelines/training/k_means.h"

namespace tandem {
namespace {

float dot(const Patch& a, const Patch& b) {
  float sum = 0;
  for (int i = 0; i < 9; ++i) sum += a[i] * b[i];
  return sum;
}

/// Makes the mean zero and the norm one; gives the norm it had, 0 for a flat patch.
float normalise(Patch& patch) {
  const float mean = std::accumulate(patch.begin(), patch.end(), 0.0f) / 9;
  for (float& v : patch) v -= mean;
  const float norm = std::sqrt(dot(patch, patch));
  if (norm > 0)
    for (float& v : patch) v /= norm;
  return norm;
}

Patch patch_at(const GreyImage& image, int x, int y) {
  Patch patch;
  const auto plane = image.plane();
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) patch[3 * dy + dx] = plane.row(y + dy - 1)[x + dx - 1];
  return patch;
}

template <typename Visit>
void for_each_patch(const GreyImage& image, Visit visit) {
  for (int y = 1; y + 1 < image.height; ++y)
    for (int x = 1; x + 1 < image.width; ++x) {
      Patch patch = patch_at(image, x, y);
      const float contrast = normalise(patch);
      visit(patch, contrast);
    }
}

/// The distance is 1 - |x'm|.
std::vector<Patch> first_medoids(const std::vector<Patch>& patches, int filters, Random& random) {
  Progress progress("filters, start", filters);
  std::vector<Patch> medoids;
  choose_first_centres(
      patches.size(), filters, random,
      [&](std::size_t i) { return std::max(0.0f, 1 - std::abs(dot(patches[i], medoids.back()))); },
      [&](std::size_t i) {
        medoids.push_back(patches[i]);
        progress.advance();
      });
  return medoids;
}

struct Assignment {
  std::vector<uint8_t> cluster;  ///< of each patch
  double similarity = 0;         ///< mean |x'm| of all patches
};

Assignment assign(const std::vector<Patch>& patches, const std::vector<Patch>& medoids) {
  Assignment result{std::vector<uint8_t>(patches.size()), 0};
  std::vector<double> sums((patches.size() + kChunk - 1) / kChunk);
  for_chunks(patches.size(), [&](std::size_t begin, std::size_t end, std::size_t chunk) {
    for (std::size_t i = begin; i < end; ++i) {
      float best = -1;
      for (std::size_t k = 0; k < medoids.size(); ++k) {
        const float similarity = std::abs(dot(patches[i], medoids[k]));
        if (similarity > best) {
          best = similarity;
          result.cluster[i] = static_cast<uint8_t>(k);
        }
      }
      sums[chunk] += best;
    }
  });
  result.similarity =
      std::accumulate(sums.begin(), sums.end(), 0.0) / static_cast<double>(patches.size());
  return result;
}

std::vector<Patch> means_of(const std::vector<Patch>& patches, const std::vector<uint8_t>& cluster,
                            const std::vector<Patch>& medoids) {
  std::vector<std::array<double, 9>> sums(medoids.size());
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const Patch& medoid = medoids[cluster[i]];
    const double sign = dot(patches[i], medoid) < 0 ? -1 : 1;
    for (int j = 0; j < 9; ++j) sums[cluster[i]][j] += sign * patches[i][j];
  }
  std::vector<Patch> means(medoids.size());
  for (std::size_t k = 0; k < medoids.size(); ++k) {
    for (int j = 0; j < 9; ++j) means[k][j] = static_cast<float>(sums[k][j]);
    normalise(means[k]);
  }
  return means;
}

/// The member of each cluster that is most similar to its mean; an empty cluster keeps its medoid.
std::vector<Patch> next_medoids(const std::vector<Patch>& patches,
                                const std::vector<uint8_t>& cluster,
                                const std::vector<Patch>& medoids) {
  const std::vector<Patch> means = means_of(patches, cluster, medoids);
  std::vector<Patch> next = medoids;
  std::vector<float> best(medoids.size(), -1.0f);
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const std::size_t k = cluster[i];
    const float similarity = std::abs(dot(patches[i], means[k]));
    if (similarity > best[k]) {
      best[k] = similarity;
      next[k] = patches[i];
    }
  }
  return next;
}

}  // namespace

std::vector<Patch> sample_patches(const std::vector<GreyImage>& images, std::size_t count,
                                  uint64_t seed) {
  std::vector<double> contrast(images.size());
  tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
    for_each_patch(images[i], [&](const Patch&, float c) { contrast[i] += c; });
  });
  const double step = std::accumulate(contrast.begin(), contrast.end(), 0.0) /
                      static_cast<double>(std::max<std::size_t>(count, 1));
  std::vector<std::vector<Patch>> chosen(images.size());
  tbb::parallel_for(std::size_t{0}, images.size(), [&](std::size_t i) {
    // A patch is taken each time the contrast walked over has grown by `step`.
    Random random(seed, i + 1);
    double next = random.uniform() * step, walked = 0;
    for_each_patch(images[i], [&](const Patch& patch, float c) {
      walked += c;
      if (c <= 0 || walked < next) return;
      chosen[i].push_back(patch);
      next += step;
    });
  });
  std::vector<Patch> patches;
  for (const auto& some : chosen) patches.insert(patches.end(), some.begin(), some.end());
  return patches;
}

FilterBank cluster_patches(const std::vector<Patch>& patches, int filters, int rounds,
                           uint64_t seed) {
  if (patches.size() < static_cast<std::size_t>(filters))
    throw std::runtime_error("only " + std::to_string(patches.size()) +
                             " patches with contrast for " + std::to_string(filters) +
                             " filters: give more photographs");
  Random random(seed);
  std::vector<Patch> medoids = first_medoids(patches, filters, random);
  Progress progress("filters, rounds", rounds);
  for (int round = 0; round < rounds; ++round) {
    const Assignment assignment = assign(patches, medoids);
    progress.advance("mean similarity " + std::to_string(assignment.similarity));
    std::vector<Patch> next = next_medoids(patches, assignment.cluster, medoids);
    if (next == medoids) break;
    medoids = std::move(next);
  }
  FilterBank bank{filters, {}};
  for (const Patch& medoid : medoids)
    bank.coefficients.insert(bank.coefficients.end(), medoid.begin(), medoid.end());
  return bank;
}

}  // namespace tandem
