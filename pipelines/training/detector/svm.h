// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/vivid_classifier/vivid_classifier.h"
#include "pipelines/training/detector/window.h"
#include "pipelines/training/dual_descent.h"

namespace tandem {

/// A window that the SVM learns from.
struct Example {
  Window window;
  bool person = false;
  double dual = 0;     ///< its dual variable, kept from one round to the next as a warm start
  uint64_t place = 0;  ///< which window of which photograph, for negatives
};

struct SvmOptions : DescentOptions {
  SvmOptions() { bias_scale = 10; }  // a window's squared norm is near 105: a block's is near one
  double cost = 0.001;               ///< C of the examples without a person
  double person_cost = 0.003;        ///< C of the examples with one
};

/// Trains by descend(), starting from the examples' dual variables, which it updates. The same
/// result for a seed.
LinearSvm train_svm(std::vector<Example>& examples, int filters, float epsilon,
                    const SvmOptions& options, uint64_t seed);

}  // namespace tandem
