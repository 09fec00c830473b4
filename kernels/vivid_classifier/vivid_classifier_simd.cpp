// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <new>

#include "hwy/aligned_allocator.h"
#include "kernels/vivid_classifier/packed_svm.h"
#include "kernels/vivid_classifier/vivid_classifier.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/vivid_classifier/vivid_classifier_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tandem {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, kSlots>;
using V = hn::Vec<D>;
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));
constexpr int kBlockColumns = VividWindow::kBlockColumns, kBlockRows = VividWindow::kBlockRows;

/// The register tile: kTileVectors vectors of answers of kTileBlocks neighbouring blocks, as much
/// as the registers hold beside the operands.
constexpr int kTileVectors = kLanes == 16 ? kBlockColumns : kSlots / kLanes;
constexpr int kTileBlocks = kLanes == 8 ? 6 : 3;
constexpr int kTileSlots = kTileVectors * kLanes;

/// Filters in a panel of weights: at most 25 KB, half of a first-level cache.
constexpr int kPanelFilters = 56;

/// A thread's memory for one block row at a time; grows to the widest frame seen.
struct Scratch {
  hwy::AlignedFreeUniquePtr<float[]> memory;
  std::size_t size = 0;
  float* roots[2] = {};      ///< sqrt of two cell rows' histograms, cell row y at [y % 2]
  float* sums[2] = {};       ///< the L1 norm of each of these cells
  float* answers = nullptr;  ///< [block][kAnswers]

  void reserve(int columns, int filters) {
    const std::size_t row = hwy::RoundUpTo(static_cast<std::size_t>(columns) * filters, 16);
    const std::size_t line = hwy::RoundUpTo(columns + kLanes, 16);
    const std::size_t needed = 2 * row + 2 * line + line * kAnswers;
    if (size < needed) {
      memory = hwy::AllocateAligned<float>(needed);
      if (!memory) throw std::bad_alloc();
      size = needed;
    }
    answers = memory.get();
    roots[0] = answers + line * kAnswers;
    roots[1] = roots[0] + row;
    sums[0] = roots[1] + row;
    sums[1] = sums[0] + line;
  }
};

/// roots[i] = sqrt(values[i])
void take_roots(const float* values, std::size_t count, float* roots) {
  const D d;
  std::size_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    hn::StoreU(hn::Sqrt(hn::LoadU(d, values + i)), d, roots + i);
  }
  for (; i < count; ++i) roots[i] = std::sqrt(values[i]);
}

/// sums[i] = the sum of the i-th `size` values.
void sum_groups(const float* values, int groups, int size, float* sums) {
  const D d;
  for (int group = 0; group < groups; ++group, values += size) {
    V sum = hn::Zero(d);
    int k = 0;
    for (; k + kLanes <= size; k += kLanes) sum = hn::Add(sum, hn::LoadU(d, values + k));
    sums[group] = hn::GetLane(hn::SumOfLanes(d, sum));
    for (; k < size; ++k) sums[group] += values[k];
  }
}

/// Without it GCC loads the operand again for each of its uses: more loads than two a cycle.
HWY_INLINE void keep_in_register([[maybe_unused]] V& v) {
#if HWY_COMPILER_GCC_ACTUAL && HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
  __asm__("" : "+v"(v.raw));
#endif
}

/// One filter's part of a tile. Vectors of weights or blocks, whichever are fewer, stay in
/// registers while the others come one by one. Together with the sums they fill the registers.
template <int kBlocks>
HWY_INLINE void multiply_step(const float* HWY_RESTRICT weights, const float* HWY_RESTRICT roots,
                              int root_stride, V (&sum)[kBlocks][kTileVectors]) {
  const D d;
  if constexpr (kTileVectors < kTileBlocks) {
    V weight[kTileVectors];
#pragma GCC unroll 8
    for (int v = 0; v < kTileVectors; ++v) weight[v] = hn::Load(d, weights + v * kLanes);
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) {
      V root = hn::Set(d, roots[b * root_stride]);
#pragma GCC unroll 8
      for (int v = 0; v < kTileVectors; ++v) sum[b][v] = hn::MulAdd(weight[v], root, sum[b][v]);
    }
  } else {
    V root[kBlocks];
#pragma GCC unroll 8
    for (int b = 0; b < kBlocks; ++b) root[b] = hn::Set(d, roots[b * root_stride]);
#pragma GCC unroll 8
    for (int v = 0; v < kTileVectors; ++v) {
      V weight = hn::Load(d, weights + v * kLanes);
      keep_in_register(weight);
#pragma GCC unroll 8
      for (int b = 0; b < kBlocks; ++b) sum[b][v] = hn::MulAdd(weight, root[b], sum[b][v]);
    }
  }
}

/// answers[block][slot] (+)= sum over `filters` of weights[k][slot] * roots[block][k] for kBlocks
/// blocks and kTileSlots slots.
template <int kBlocks>
HWY_INLINE void multiply_tile(const float* HWY_RESTRICT weights, const float* HWY_RESTRICT roots,
                              int root_stride, int filters, bool first,
                              float* HWY_RESTRICT answers) {
  const D d;
  V sum[kBlocks][kTileVectors];
#pragma GCC unroll 8
  for (int b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 8
    for (int v = 0; v < kTileVectors; ++v) {
      sum[b][v] = first ? hn::Zero(d) : hn::Load(d, answers + b * kAnswers + v * kLanes);
    }
  }
  for (int k = 0; k < filters; ++k) {
    multiply_step<kBlocks>(weights + k * kAnswers, roots + k, root_stride, sum);
  }
#pragma GCC unroll 8
  for (int b = 0; b < kBlocks; ++b) {
#pragma GCC unroll 8
    for (int v = 0; v < kTileVectors; ++v) {
      hn::Store(sum[b][v], d, answers + b * kAnswers + v * kLanes);
    }
  }
}

template <int kBlocks>
HWY_INLINE void multiply_slots(const float* weights, const float* roots, int root_stride,
                               int filters, bool first, float* answers) {
  for (int slot = 0; slot < kAnswers; slot += kTileSlots) {
    multiply_tile<kBlocks>(weights + slot, roots, root_stride, filters, first, answers + slot);
  }
}

/// The unnormalised answers of all blocks of a row. The weights pass in panels that stay in the
/// first-level cache while all blocks use them.
void multiply_row(const PackedSvm::Private& svm, const float* upper, const float* lower, int blocks,
                  float* answers) {
  const int panels = (svm.filters + kPanelFilters - 1) / kPanelFilters;
  for (int c = 0; c < 4; ++c) {
    for (int panel = 0; panel < panels; ++panel) {
      const int begin = svm.filters * panel / panels, end = svm.filters * (panel + 1) / panels;
      const float* weights = svm.weights.get() + (c * svm.filters + begin) * kAnswers;
      const float* cell = (c < 2 ? upper : lower) + (c % 2) * svm.filters + begin;
      const bool first = c == 0 && panel == 0;
      int i = 0;
      for (; i + kTileBlocks <= blocks; i += kTileBlocks) {
        multiply_slots<kTileBlocks>(weights, cell + i * svm.filters, svm.filters, end - begin,
                                    first, answers + i * kAnswers);
      }
      for (; i < blocks; ++i) {
        multiply_slots<1>(weights, cell + i * svm.filters, svm.filters, end - begin, first,
                          answers + i * kAnswers);
      }
    }
  }
}

/// partial[by][x] = sum over bx of answers[x + bx][bx][by] / sqrt(norm of block x + bx).
void gather_columns(const float* answers, const float* scales, int columns, float* partial) {
  const D d;
  for (int x = 0; x < columns; ++x) {
    alignas(64) float sums[kSlots];
    for (int v = 0; v < kSlots; v += kLanes) {
      V sum = hn::Zero(d);
      for (int bx = 0; bx < kBlockColumns; ++bx) {
        const V answer = hn::Load(d, answers + (x + bx) * kAnswers + bx * kSlots + v);
        sum = hn::MulAdd(hn::Set(d, scales[x + bx]), answer, sum);
      }
      hn::Store(sum, d, sums + v);
    }
    for (int by = 0; by < kBlockRows; ++by) partial[by * columns + x] = sums[by];
  }
}

/// scales[i] = (|block i|_1 + epsilon)^-1/2. `scales` may be `upper`: all are readable, and
/// `scales` writable, kLanes past the last block.
void scale_blocks(const float* upper, const float* lower, int blocks, float epsilon,
                  float* scales) {
  const D d;
  for (int i = 0; i < blocks; i += kLanes) {
    const V above = hn::Add(hn::LoadU(d, upper + i), hn::LoadU(d, upper + i + 1));
    const V below = hn::Add(hn::LoadU(d, lower + i), hn::LoadU(d, lower + i + 1));
    const V norm = hn::Add(hn::Add(above, below), hn::Set(d, epsilon));
    hn::StoreU(hn::Div(hn::Set(d, 1.0f), hn::Sqrt(norm)), d, scales + i);
  }
}

void rows(const float* histogram, CellGrid cells, const PackedSvm::Private& svm, float* partial,
          Rows block_rows) {
  const ScoreGrid grid = ScoreGrid::of(cells);
  if (grid.columns == 0 || grid.rows == 0) return;
  thread_local Scratch scratch;
  scratch.reserve(cells.columns, svm.filters);
  const std::size_t row_size = static_cast<std::size_t>(cells.columns) * svm.filters;
  const auto prepare = [&](int y) {
    const float* row = histogram + y * row_size;
    take_roots(row, row_size, scratch.roots[y % 2]);
    sum_groups(row, cells.columns, svm.filters, scratch.sums[y % 2]);
  };
  const int blocks = cells.columns - 1;
  for (int y = block_rows.begin; y < block_rows.end; ++y) {
    if (y == block_rows.begin) prepare(y);
    prepare(y + 1);
    multiply_row(svm, scratch.roots[y % 2], scratch.roots[(y + 1) % 2], blocks, scratch.answers);
    float* upper = scratch.sums[y % 2];
    scale_blocks(upper, scratch.sums[(y + 1) % 2], blocks, svm.epsilon, upper);
    gather_columns(scratch.answers, upper, grid.columns,
                   partial + static_cast<std::size_t>(y) * kBlockRows * grid.columns);
  }
}

void combine(const float* partial, CellGrid cells, const PackedSvm::Private& svm,
             Plane<float> score, int first_block_row) {
  const D d;
  const int columns = ScoreGrid::of(cells).columns;
  for (int y = std::max(0, first_block_row - kBlockRows + 1); y < score.height; ++y) {
    float* out = score.row(y);
    const int first_by = std::max(0, first_block_row - y);
    const bool begun = first_by > 0;  // by those who have the rows above
    // The row that block row y + by answers to block row by of the window.
    const float* first = partial + static_cast<std::size_t>(y) * kBlockRows * columns;
    const std::size_t step = static_cast<std::size_t>(kBlockRows + 1) * columns;
    int x = 0;
    for (; x + kLanes <= columns; x += kLanes) {
      V sum = begun ? hn::LoadU(d, out + x) : hn::Set(d, svm.bias);
      for (int by = first_by; by < kBlockRows; ++by)
        sum = hn::Add(sum, hn::LoadU(d, first + by * step + x));
      hn::StoreU(sum, d, out + x);
    }
    for (; x < columns; ++x) {
      float sum = begun ? out[x] : svm.bias;
      for (int by = first_by; by < kBlockRows; ++by) sum += first[by * step + x];
      out[x] = sum;
    }
  }
}

}  // namespace
// NOLINTNEXTLINE(google-readability-namespace-comments)
}  // namespace HWY_NAMESPACE
}  // namespace tandem
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tandem {

HWY_EXPORT(rows);
HWY_EXPORT(combine);

std::size_t vivid_classifier_partial_size(CellGrid cells) {
  const ScoreGrid grid = ScoreGrid::of(cells);
  if (grid.columns == 0 || grid.rows == 0) return 0;
  return static_cast<std::size_t>(cells.rows - 1) * VividWindow::kBlockRows * grid.columns;
}

void vivid_classifier_rows(const float* histogram, CellGrid cells, const PackedSvm& svm,
                           float* partial, Rows block_rows) {
  HWY_DYNAMIC_DISPATCH(rows)(histogram, cells, svm.get(), partial, block_rows);
}

void vivid_classifier_combine(const float* partial, CellGrid cells, const PackedSvm& svm,
                              Plane<float> score, int first_block_row) {
  HWY_DYNAMIC_DISPATCH(combine)(partial, cells, svm.get(), score, first_block_row);
}

}  // namespace tandem
#endif
