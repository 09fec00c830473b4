// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/window.h"

#include <gtest/gtest.h>

#include <numeric>

#include "kernels/vivid_classifier/detections.h"
#include "pipelines/training/random.h"

namespace tandem {
namespace {

constexpr int kFilters = 7;

Cells random_cells(int columns, int rows) {
  Cells cells{{columns, rows}, {}};
  Random random(11);
  for (int i = 0; i < columns * rows * kFilters; ++i)
    cells.histogram.push_back(random.below(3) ? static_cast<float>(random.uniform()) : 0);
  return cells;
}

LinearSvm random_svm() {
  LinearSvm svm{kFilters, {}, 0.25f, 0.5f};
  Random random(12);
  for (int i = 0; i < VividWindow::kBlocks * 4 * kFilters; ++i)
    svm.weights.push_back(static_cast<float>(random.between(-0.1, 0.1)));
  return svm;
}

TEST(Window, ScoresAsTheClassifierDoes) {
  const Cells cells = random_cells(11, 18);
  const LinearSvm svm = random_svm();
  const ScoreGrid grid = ScoreGrid::of(cells.grid);
  std::vector<float> scores(static_cast<std::size_t>(grid.columns) * grid.rows);
  vivid_classifier_ref(cells.histogram.data(), cells.grid, svm,
                       {scores.data(), grid.columns, grid.rows, grid.columns});
  for (int y = 0; y < grid.rows; ++y)
    for (int x = 0; x < grid.columns; ++x) {
      const Window window(cells, kFilters, x, y, svm.epsilon);
      EXPECT_NEAR(window.dot(svm.weights) + svm.bias, scores[y * grid.columns + x], 1e-4);
    }
}

TEST(Window, AddsItselfToWeights) {
  // (w + t x) x = w x + t |x|^2
  const Window window(random_cells(8, 16), kFilters, 0, 0, 0.5f);
  std::vector<float> weights = random_svm().weights;
  const float before = window.dot(weights);
  window.add_to(weights, 0.5f);
  EXPECT_NEAR(window.dot(weights), before + 0.5f * window.squared_norm(), 1e-3);
}

TEST(Window, BlocksHaveNearlyUnitNorm) {
  const Window window(random_cells(8, 16), kFilters, 0, 0, 1e-3f);
  EXPECT_NEAR(window.squared_norm(), VividWindow::kBlocks, 0.1);
}

TEST(CellsAround, FillsTheWindowsPersonBox) {
  // A bright person-sized bar: its cells, and no others, see contrast at the window's box.
  GreyImage image{300, 400, std::vector<uint8_t>(300 * 400, 20)};
  const Box person{100, 80, 92, 224};  // twice the PersonBox
  for (int y = 80; y < 304; ++y)
    for (int x = 100; x < 192; ++x) image.pixels[static_cast<std::size_t>(y) * 300 + x] = 220;
  const FilterBank edge{1, {0, 0, 0, -1, 0, 1, 0, 0, 0}};
  const Cells cells = cells_around(image, person, edge);
  ASSERT_EQ(cells.grid.columns, VividWindow::kCellColumns);
  ASSERT_EQ(cells.grid.rows, VividWindow::kCellRows);
  const int left = static_cast<int>(PersonBox::kLeft) / CellGrid::kCell;
  const auto at = [&](int x, int y) { return cells.histogram[y * cells.grid.columns + x]; };
  EXPECT_GT(at(left, 8), 1);
  EXPECT_GT(at(7 - left, 8), 1);
  EXPECT_FLOAT_EQ(at(left, 0), 0) << "above the person";
  EXPECT_FLOAT_EQ(at(left, 15), 0) << "below the person";
  EXPECT_FLOAT_EQ(at(0, 8), 0) << "beside the person";
  EXPECT_FLOAT_EQ(at(4, 8), 0) << "inside the person";
}

TEST(CellsAround, RepeatsTheBorderOfThePhotograph) {
  const GreyImage flat{40, 50, std::vector<uint8_t>(2000, 90)};
  const FilterBank edge{1, {0, 0, 0, -1, 0, 1, 0, 0, 0}};
  const Cells cells = cells_around(flat, {-10, -20, 38, 96}, edge);
  EXPECT_FLOAT_EQ(std::accumulate(cells.histogram.begin(), cells.histogram.end(), 0.0f), 0);
}

}  // namespace
}  // namespace tandem
