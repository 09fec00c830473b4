// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernels/vivid_classifier/packed_svm.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tandem {
namespace {

std::unique_ptr<const PackedSvm::Private> pack(const LinearSvm& svm) {
  const std::size_t rows = 4 * static_cast<std::size_t>(svm.filters);  // one for each block value
  if (svm.filters < 1 || svm.weights.size() != rows * VividWindow::kBlocks) {
    throw std::invalid_argument("an SVM over " + std::to_string(svm.filters) + " filters needs " +
                                std::to_string(rows * VividWindow::kBlocks) + " weights, not " +
                                std::to_string(svm.weights.size()));
  }
  auto packed = std::make_unique<PackedSvm::Private>();
  packed->filters = svm.filters;
  packed->bias = svm.bias;
  packed->epsilon = svm.epsilon;
  packed->weights = hwy::AllocateAligned<float>(rows * kAnswers);
  if (!packed->weights) throw std::bad_alloc();
  std::fill_n(packed->weights.get(), rows * kAnswers, 0.0f);
  for (int by = 0; by < VividWindow::kBlockRows; ++by) {
    for (int bx = 0; bx < VividWindow::kBlockColumns; ++bx) {
      const float* block = &svm.weights[(by * VividWindow::kBlockColumns + bx) * rows];
      for (std::size_t row = 0; row < rows; ++row) {
        packed->weights[row * kAnswers + bx * kSlots + by] = block[row];
      }
    }
  }
  return packed;
}

}  // namespace

PackedSvm::PackedSvm(const LinearSvm& svm) : self_(pack(svm)) {}
PackedSvm::~PackedSvm() = default;

}  // namespace tandem
