// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/vivid_classifier/vivid_classifier.h"
#include "pipelines/training/detector/window.h"

namespace tandem {

/// A window that the SVM learns from.
struct Example {
  Window window;
  bool person = false;
  double dual = 0;     ///< its dual variable, kept from one round to the next as a warm start
  uint64_t place = 0;  ///< which window of which photograph, for negatives
};

struct SvmOptions {
  double cost = 0.001;         ///< C of the examples without a person
  double person_cost = 0.003;  ///< C of the examples with one
  int passes = 200;            ///< at most, over all examples
  double tolerance = 0.01;     ///< largest violation of the optimality conditions to stop at
};

/// Trains w, b to minimise |w|^2/2 + b^2/(2 kBiasScale^2) + sum C max(0, 1 - y (w x + b)) by dual
/// coordinate descent (Hsieh et al., "A dual coordinate descent method for large-scale linear SVM",
/// ICML 2008), starting from the examples' dual variables, which it updates. The same result for a
/// seed.
LinearSvm train_svm(std::vector<Example>& examples, int filters, float epsilon,
                    const SvmOptions& options, uint64_t seed);

}  // namespace tandem
