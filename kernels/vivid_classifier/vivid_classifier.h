// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <limits>
#include <memory>
#include <vector>

#include "kernels/opencl/opencl.h"
#include "kernels/plane.h"
#include "kernels/vivid_histogram/vivid_histogram.h"

/// ViVid stage 3: a linear SVM over every window of 8x16 cells.
/// Source: Dikmen, Hoiem, Huang, CVPR 2012; block normalisation after Dalal and Triggs (L1-sqrt).
namespace tandem {

/// The geometry of a window, in cells of 8x8 pixels and blocks of 2x2 cells with stride one cell.
struct VividWindow {
  static constexpr int kCellColumns = 8, kCellRows = 16;
  static constexpr int kBlockColumns = 7, kBlockRows = 15;
  static constexpr int kBlocks = kBlockColumns * kBlockRows;  // 105
  static constexpr int kWidth = 64, kHeight = 128;            // pixels
};

/// Window positions of a grid, one a cell: (columns - 7) x (rows - 15), 0 when no window fits.
struct ScoreGrid {
  int columns = 0, rows = 0;
  static ScoreGrid of(CellGrid cells);
};

/// A linear SVM. `weights[((by * 7 + bx) * 4 + c) * filters + k]` is the coefficient of filter k in
/// cell c of block (bx, by). Cell c is at `(c % 2, c / 2)` in its block, as (x, y).
struct LinearSvm {
  int filters = 0;
  std::vector<float> weights;  ///< 105 * 4 * filters
  float bias = 0;
  float epsilon = 1e-2f;  ///< added to each block's L1 norm; unit of the histogram
};

/// An SVM laid out for the processor: made once, read by many threads.
class PackedSvm {
 public:
  explicit PackedSvm(const LinearSvm& svm);
  ~PackedSvm();
  struct Private;
  const Private& get() const { return *self_; }

 private:
  std::unique_ptr<const Private> self_;
};

/// score(y, x) = bias + sum over the 105 blocks of (|block|_1 + epsilon)^-1/2 sum_c w_c . sqrt(h_c)
/// for the window whose top left cell is (x, y). `score` is ScoreGrid::of(cells) in size.
void vivid_classifier_ref(const float* histogram, CellGrid cells, const LinearSvm& svm,
                          Plane<float> score);

/// The same in two steps, so that bands of block rows (0 ... cells.rows - 2) share no work.
/// `vivid_classifier_rows` writes the answers of each block row to each of the 15 block rows of a
/// window into `partial` (`vivid_classifier_partial_size` floats). When all are done,
/// `vivid_classifier_combine` sums them. The first is safe from many threads on disjoint rows.
/// When the block rows before `first_block_row` were computed elsewhere, `score` holds what they
/// add to windows that reach beyond them: only rows of windows that reach `first_block_row` change.
/// Agrees with the reference to 1e-4.
std::size_t vivid_classifier_partial_size(CellGrid cells);
void vivid_classifier_rows(const float* histogram, CellGrid cells, const PackedSvm& svm,
                           float* partial, Rows block_rows);
void vivid_classifier_combine(const float* partial, CellGrid cells, const PackedSvm& svm,
                              Plane<float> score, int first_block_row = 0);

/// The whole stage on the device, for the score rows `score_rows`. `partial` is scratch of
/// `partial_size` floats. One thread at a time. Agrees with the reference to 1e-4. With
/// `block_rows` the windows lack what block rows from there on add, which vivid_classifier_combine
/// adds.
class VividClassifierOpenCL {
 public:
  VividClassifierOpenCL(opencl::Context& context, const LinearSvm& svm);  ///< throws opencl::Error
  ~VividClassifierOpenCL();
  static std::size_t partial_size(CellGrid cells);  ///< floats
  void enqueue(opencl::Queue& queue, const opencl::DeviceSpan& histogram, CellGrid cells,
               const opencl::DeviceSpan& partial, const opencl::DevicePlane& score, Rows score_rows,
               int block_rows = std::numeric_limits<int>::max());

 private:
  struct Private;
  std::unique_ptr<Private> self_;
};

}  // namespace tandem
