// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/detector/window.h"

#include <algorithm>
#include <cmath>

#include "kernels/resize/resize.h"
#include "kernels/vivid_classifier/detections.h"
#include "pipelines/training/parallel.h"

namespace tandem {
namespace {

constexpr int kColumns = VividWindow::kCellColumns, kRows = VividWindow::kCellRows;

/// Calls visit(block, cell of the block, cell of the window) for the 420 pairs.
template <typename Visit>
void for_each_block_cell(Visit visit) {
  for (int by = 0; by < VividWindow::kBlockRows; ++by)
    for (int bx = 0; bx < VividWindow::kBlockColumns; ++bx)
      for (int c = 0; c < 4; ++c)
        visit(by * VividWindow::kBlockColumns + bx, c, (by + c / 2) * kColumns + bx + c % 2);
}

float dot_product(const float* a, const float* b, int count) {
  return sum_in_lanes(static_cast<std::size_t>(count), [&](std::size_t i) { return a[i] * b[i]; });
}

}  // namespace

GreyImage cut_out(const GreyImage& image, int left, int top, int width, int height) {
  GreyImage out{width, height, std::vector<uint8_t>(static_cast<std::size_t>(width) * height)};
  const auto plane = image.plane();
  for (int y = 0; y < height; ++y) {
    const uint8_t* row = plane.row(std::clamp(top + y, 0, image.height - 1));
    uint8_t* to = out.pixels.data() + static_cast<std::ptrdiff_t>(y) * width;
    for (int x = 0; x < width; ++x) to[x] = row[std::clamp(left + x, 0, image.width - 1)];
  }
  return out;
}

GreyImage resized(const GreyImage& source, int width, int height) {
  if (width == source.width && height == source.height) return source;
  GreyImage out{width, height, std::vector<uint8_t>(static_cast<std::size_t>(width) * height)};
  resize_simd(source.plane(), {out.pixels.data(), width, height, width}, {0, height});
  return out;
}

Cells cells_of(const GreyImage& level, const FilterBank& bank) {
  const int width = level.width, height = level.height;
  const std::size_t pixels = level.pixels.size();
  // Reused by each thread: a training looks at thousands of levels.
  thread_local std::vector<uint8_t> index;
  thread_local std::vector<float> weight;
  index.resize(pixels);
  weight.resize(pixels);
  vivid_filter_simd(level.plane(), bank, {index.data(), width, height, width},
                    {weight.data(), width, height, width}, {0, height});
  Cells cells{CellGrid::of(width, height), {}};
  cells.histogram.resize(static_cast<std::size_t>(cells.grid.columns) * cells.grid.rows *
                         bank.count);
  vivid_histogram_simd({index.data(), width, height, width}, {weight.data(), width, height, width},
                       bank.count, cells.histogram.data(), {0, cells.grid.rows});
  return cells;
}

Window::Window(const Cells& cells, int filters, int x, int y, float epsilon)
    : root_cells(static_cast<std::size_t>(kColumns) * kRows * filters),
      factors(VividWindow::kBlocks, epsilon) {
  float mass[kColumns * kRows];
  for (int row = 0; row < kRows; ++row) {
    const float* from = cells.histogram.data() +
                        (static_cast<std::size_t>(y + row) * cells.grid.columns + x) * filters;
    float* to = root_cells.data() + static_cast<std::size_t>(row) * kColumns * filters;
    for (int i = 0; i < kColumns * filters; ++i) to[i] = std::sqrt(from[i]);
    for (int column = 0; column < kColumns; ++column)
      mass[row * kColumns + column] =
          std::accumulate(from + column * filters, from + (column + 1) * filters, 0.0f);
  }
  for_each_block_cell([&](int block, int, int cell) { factors[block] += mass[cell]; });
  for (float& factor : factors) factor = 1 / std::sqrt(factor);
}

float Window::dot(const std::vector<float>& weights) const {
  const int filters = static_cast<int>(root_cells.size()) / (kColumns * kRows);
  float sum = 0;
  for_each_block_cell([&](int block, int c, int cell) {
    sum += factors[block] * dot_product(weights.data() + (block * 4 + c) * filters,
                                        root_cells.data() + cell * filters, filters);
  });
  return sum;
}

void Window::add_to(std::vector<float>& weights, float times) const {
  const int filters = static_cast<int>(root_cells.size()) / (kColumns * kRows);
  for_each_block_cell([&](int block, int c, int cell) {
    const float factor = times * factors[block];
    float* to = weights.data() + (block * 4 + c) * filters;
    const float* from = root_cells.data() + cell * filters;
    for (int k = 0; k < filters; ++k) to[k] += factor * from[k];
  });
}

float Window::squared_norm() const {
  const int filters = static_cast<int>(root_cells.size()) / (kColumns * kRows);
  float sum = 0;
  for_each_block_cell([&](int block, int, int cell) {
    const float* values = root_cells.data() + cell * filters;
    sum += factors[block] * factors[block] * dot_product(values, values, filters);
  });
  return sum;
}

Cells cells_around(const GreyImage& image, const Box& person, const FilterBank& bank) {
  // One pixel more on each side: the border of a frame has no votes.
  constexpr int kWidth = VividWindow::kWidth + 2, kHeight = VividWindow::kHeight + 2;
  const double scale = person.height / PersonBox::kHeight;
  const int width = std::max<int>(1, std::lround(kWidth * scale));
  const int height = std::max<int>(1, std::lround(kHeight * scale));
  const double left = person.x + person.width / 2 - kWidth * scale / 2;
  const double top = person.y + person.height / 2 - kHeight * scale / 2;
  const GreyImage around = cut_out(image, static_cast<int>(std::lround(left)),
                                   static_cast<int>(std::lround(top)), width, height);
  return cells_of(resized(around, kWidth, kHeight), bank);
}

}  // namespace tandem
