// SPDX-License-Identifier: LGPL-2.1-or-later
// More stages of pipelines/stages on both sides, against code that has another way to the result.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <utility>

#include "tests/kernels/stage_file/stage_file_ways.h"

namespace tandem::check {
namespace {

using Luma = std::vector<uint8_t>;

/// Elements of a frame's plane.
struct Grid {
  int width, height;
  int count() const { return width * height; }
  bool has(int x, int y) const { return x >= 0 && x < width && y >= 0 && y < height; }
  int at(int x, int y) const { return y * width + x; }
  int nearest(int x, int y) const {
    return at(std::clamp(x, 0, width - 1), std::clamp(y, 0, height - 1));
  }
  /// The pixels around element i, itself included; those of the border where there are none.
  std::array<int, 9> around(int i) const {
    std::array<int, 9> indices{};
    for (int k = 0; k < 9; ++k)
      indices[static_cast<std::size_t>(k)] = nearest(i % width + k % 3 - 1, i / width + k / 3 - 1);
    return indices;
  }
};

/// The frame's luma behind the stage.
Luma written_luma(StageMemory& memory) {
  std::size_t i = 0;
  while (memory.tensor(i).role != StageTensor::Role::kLumaOut) ++i;
  const auto* const bytes =
      static_cast<const uint8_t*>(memory.buffer(i).host(opencl::Buffer::Access::read));
  return {bytes, bytes + memory.bytes(i)};
}

/// Levels of which `share` (percent) are 255, and the others below 200.
Luma spots(const Grid& grid, unsigned seed, int share) {
  Luma luma = random_luma(grid.width, grid.height, seed);
  std::mt19937 random(seed + 100);
  for (uint8_t& level : luma)
    level = static_cast<int>(random() % 100) < share ? 255 : static_cast<uint8_t>(level % 200);
  return luma;
}

TEST(GalleryStages, UnsharpAddsWhatABlurTakes) {
  const StageRunner runner = runner_of("unsharp");
  run_each_way(runner, [&](const auto& run) {
    for (const float amount : {1.0F, 0.0F, 2.75F}) {
      for (const auto& [width, height] : kSizes) {
        const Grid grid{width, height};
        StageMemory memory = runner.memory(width, height);
        const Luma luma = random_luma(width, height, 3);
        memory.set(memory.index("luma"), luma.data());
        memory.parameter("amount").real = amount;
        ASSERT_EQ(run(memory), "");
        const auto sharp = written_luma(memory);
        for (int i = 0; i < grid.count(); ++i) {
          constexpr int kWeights[9] = {1, 2, 1, 2, 4, 2, 1, 2, 1};
          double blurred = 0;
          for (std::size_t k = 0; k < 9; ++k)
            blurred += kWeights[k] * luma[grid.around(i)[k]] / 16.0;
          const double exact = luma[i] + static_cast<double>(amount) * (luma[i] - blurred);
          // These are numbers that a float has: there is no other way to round.
          ASSERT_EQ(sharp[i], std::clamp(std::nearbyint(exact), 0.0, 255.0))
              << i << " of " << width << "x" << height << ", amount " << amount;
        }
      }
    }
  });
}

TEST(GalleryStages, MedianIsTheMiddleOfNine) {
  const StageRunner runner = runner_of("median");
  run_each_way(runner, [&](const auto& run) {
    for (const auto& [width, height] : kSizes) {
      const Grid grid{width, height};
      for (const int levels : {256, 3}) {
        StageMemory memory = runner.memory(width, height);
        Luma luma = random_luma(width, height, 7);
        for (uint8_t& level : luma) level = static_cast<uint8_t>(level % levels);
        memory.set(memory.index("luma"), luma.data());
        ASSERT_EQ(run(memory), "");
        const auto found = written_luma(memory);
        for (int i = 0; i < grid.count(); ++i) {
          std::array<uint8_t, 9> nine{};
          std::ranges::transform(grid.around(i), nine.begin(), [&](int k) { return luma[k]; });
          std::ranges::sort(nine);
          ASSERT_EQ(found[i], nine[4]) << i << " of " << width << "x" << height;
        }
      }
    }
  });
}

TEST(GalleryStages, MotionCountsChanges) {
  const StageRunner runner = runner_of("motion");
  run_each_way(runner, [&](const auto& run) {
    for (const auto& [width, height] : kSizes) {
      StageMemory memory = runner.memory(width, height);
      Luma before;
      for (unsigned frame = 0; frame < 4; ++frame) {
        const Luma luma = random_luma(width, height, frame);
        memory.set(memory.index("luma"), luma.data());
        ASSERT_EQ(run(memory), "");
        std::vector<int> bins(16);
        for (std::size_t i = 0; i < luma.size(); ++i)
          ++bins[frame == 0 ? 0 : static_cast<std::size_t>(std::abs(luma[i] - before[i])) / 16];
        EXPECT_EQ(memory.values<int>("bins"), bins) << width << "x" << height << " " << frame;
        before = luma;
      }
    }
  });
}

// A region is joined from pairs of bright pixels (union-find), not by what spreads.
int count_regions(const Grid& grid, const Luma& luma, int threshold) {
  std::vector<int> parent(luma.size());
  std::iota(parent.begin(), parent.end(), 0);
  const auto root = [&](int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  int regions = 0;
  for (int i = 0; i < grid.count(); ++i) {
    if (luma[i] < threshold) continue;
    ++regions;
    const int x = i % grid.width, y = i / grid.width;
    for (const auto& [dx, dy] : {std::pair{-1, 0}, {-1, -1}, {0, -1}, {1, -1}}) {
      if (!grid.has(x + dx, y + dy) || luma[grid.at(x + dx, y + dy)] < threshold) continue;
      const int other = root(grid.at(x + dx, y + dy)), own = root(i);
      if (other == own) continue;
      parent[own] = other;
      --regions;
    }
  }
  return regions;
}

/// A line that turns inwards, one pixel wide: the longest way through a region.
Luma spiral(const Grid& grid) {
  Luma luma(static_cast<std::size_t>(grid.count()), 0);
  int x = -1, y = 0, dx = 1, dy = 0;
  int along = grid.width, across = grid.height - 1;
  while (along > 0) {
    for (int i = 0; i < along; ++i) luma[grid.at(x += dx, y += dy)] = 255;
    std::swap(along, across);
    across -= 2;
    dx = std::exchange(dy, dx);
    dx = -dx;
  }
  return luma;
}

TEST(GalleryStages, BlobsAreCounted) {
  const StageRunner runner = runner_of("blobs");
  run_each_way(runner, [&](const auto& run) {
    for (const auto& [width, height] : kSizes) {
      const Grid grid{width, height};
      for (const Luma& luma : {spots(grid, 1, 5), spots(grid, 2, 40), spots(grid, 3, 100)}) {
        StageMemory memory = runner.memory(width, height);
        memory.set(memory.index("luma"), luma.data());
        ASSERT_EQ(run(memory), "");
        EXPECT_EQ(memory.values<int>("count").at(0), count_regions(grid, luma, 200))
            << width << "x" << height;
        const auto label = memory.values<int>("label");
        for (int i = 0; i < grid.count(); ++i) ASSERT_EQ(label[i] > 0, luma[i] >= 200) << i;
      }
    }
  });
}

TEST(GalleryStages, ALongBlobIsOne) {
  const StageRunner runner = runner_of("blobs");
  const Grid grid{41, 41};
  const Luma luma = spiral(grid);
  ASSERT_GT(std::ranges::count(luma, 255), 500);
  ASSERT_EQ(count_regions(grid, luma, 200), 1);
  run_each_way(runner, [&](const auto& run) {
    StageMemory memory = runner.memory(grid.width, grid.height);
    memory.set(memory.index("luma"), luma.data());
    ASSERT_EQ(run(memory), "");
    EXPECT_EQ(memory.values<int>("count").at(0), 1);
  });
}

// Each cell that lives gives one to its neighbours; the stage has each cell look around.
std::vector<uint8_t> next_generation(const Grid& grid, const std::vector<uint8_t>& alive) {
  std::vector<uint8_t> neighbours(alive.size(), 0), next(alive.size(), 0);
  for (int i = 0; i < grid.count(); ++i) {
    if (!alive[i]) continue;
    for (int k = 0; k < 9; ++k) {
      const int x = i % grid.width + k % 3 - 1, y = i / grid.width + k / 3 - 1;
      if (k != 4 && grid.has(x, y)) ++neighbours[grid.at(x, y)];
    }
  }
  for (std::size_t i = 0; i < alive.size(); ++i)
    next[i] = neighbours[i] == 3 || (alive[i] && neighbours[i] == 2);
  return next;
}

TEST(GalleryStages, LifeGoesOn) {
  const StageRunner runner = runner_of("life");
  run_each_way(runner, [&](const auto& run) {
    for (const auto& [width, height] : kSizes) {
      const Grid grid{width, height};
      StageMemory memory = runner.memory(width, height);
      std::vector<uint8_t> alive;
      for (unsigned frame = 0; frame < 12; ++frame) {
        const Luma luma = random_luma(width, height, frame);
        memory.set(memory.index("luma"), luma.data());
        ASSERT_EQ(run(memory), "");
        if (frame == 0) {
          for (const uint8_t level : luma) alive.push_back(level >= 128);
        } else {
          alive = next_generation(grid, alive);
        }
        const Luma shown = written_luma(memory);
        for (std::size_t i = 0; i < alive.size(); ++i) ASSERT_EQ(shown[i], alive[i] ? 255 : 0);
        ASSERT_EQ(memory.values<uint8_t>("alive"), alive)
            << width << "x" << height << ", frame " << frame;
      }
    }
  });
}

}  // namespace
}  // namespace tandem::check
