// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <random>
#include <vector>

#include "kernels/vivid_classifier/vivid_classifier.h"
#include "kernels/vivid_filter/vivid_filter.h"
#include "kernels/vivid_histogram/vivid_histogram.h"
#include "tests/kernels/support/guarded.h"

/// The three stages of ViVid on the device as a frame takes them, for checks and benches.
namespace tandem::check {

/// A detector of random numbers: speed does not depend on them.
struct VividModel {
  FilterBank bank;
  LinearSvm svm;

  explicit VividModel(int filters, std::mt19937 random = std::mt19937(1)) {
    std::normal_distribution<float> normal(0, 1);
    bank.count = svm.filters = filters;
    bank.coefficients.resize(9 * static_cast<std::size_t>(filters));
    svm.weights.resize(std::size_t{VividWindow::kBlocks} * 4 * static_cast<std::size_t>(filters));
    for (float& c : bank.coefficients) c = normal(random);
    for (float& w : svm.weights) w = 0.05f * normal(random);
  }
};

/// One frame in flight: a queue, the kernels and the buffers.
class Vivid {
  using Access = opencl::Buffer::Access;

 public:
  Vivid(const std::shared_ptr<opencl::Context>& context, const VividModel& model, int width,
        int height)
      : queue(context),
        score_grid(ScoreGrid::of(cells_of(width, height))),
        width_(width),
        height_(height),
        cells_(cells_of(width, height)),
        filter_(*context, model.bank),
        histogram_(*context, model.bank.count),
        classifier_(*context, model.svm),
        luma_(context, pixels()),
        index_(context, pixels()),
        weight_(context, pixels() * sizeof(float)),
        cell_histograms_(context, static_cast<std::size_t>(cells_.columns * cells_.rows) *
                                      model.bank.count * sizeof(float)),
        partial_(context, VividClassifierOpenCL::partial_size(cells_) * sizeof(float)),
        score_(context,
               static_cast<std::size_t>(score_grid.columns * score_grid.rows) * sizeof(float)) {}

  void enqueue(Plane<const uint8_t> luma) {
    luma_.enqueue_upload_rows(queue, luma.data, static_cast<std::size_t>(width_), height_,
                              static_cast<std::size_t>(luma.stride));
    const opencl::DevicePlane index = plane(index_), weight = plane(weight_);
    filter_.enqueue(queue, plane(luma_), index, weight, {0, height_});
    const opencl::DeviceSpan histograms{cell_histograms_.device(queue, Access::write), 0};
    histogram_.enqueue(queue, index, weight, histograms, {0, cells_.rows});
    const opencl::DevicePlane score{score_.device(queue, Access::write), 0, score_grid.columns,
                                    score_grid.rows, score_grid.columns};
    classifier_.enqueue(queue, histograms, cells_, {partial_.device(queue, Access::write), 0},
                        score, {0, score_grid.rows});
    score_.enqueue_download(queue);
  }

  const float* scores() { return static_cast<const float*>(score_.host(Access::read)); }

  opencl::Queue queue;
  const ScoreGrid score_grid;

 private:
  static CellGrid cells_of(int width, int height) { return CellGrid::of(width, height); }
  std::size_t pixels() const { return static_cast<std::size_t>(width_) * height_; }
  opencl::DevicePlane plane(opencl::Buffer& buffer) {
    return {buffer.device(queue, Access::read_write), 0, width_, height_, width_};
  }

  const int width_, height_;
  const CellGrid cells_;
  VividFilterOpenCL filter_;
  VividHistogramOpenCL histogram_;
  VividClassifierOpenCL classifier_;
  opencl::Buffer luma_, index_, weight_, cell_histograms_, partial_, score_;
};

inline Guarded<uint8_t> random_luma(std::mt19937& random, int width, int height) {
  Guarded<uint8_t> luma(width, height);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) luma.row(y)[x] = static_cast<uint8_t>(x + y + random() % 50);
  }
  return luma;
}

}  // namespace tandem::check
