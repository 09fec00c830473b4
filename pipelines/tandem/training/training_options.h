// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/tandem/options/options.h"
#include "pipelines/training/detector/trainer.h"

namespace tandem {

/// The options that say how a detector is trained, shared by train-detector and the
/// cross-validation of evaluate-detector.
struct TrainingOptionValues {
  int seed = 1, filters = 100, patches = 1000000, filter_rounds = 15, rounds = 4, jitters = 4;
  int random_windows = 10, hard_windows = 50, threads = 0;
  double min_height = 48, soft_height = 70, negative_overlap = 0.4;
  double cost = 0.001, person_cost = 0.003, epsilon = 0.5;

  std::vector<Option> options();
  /// Throws UsageError for a value that is out of range.
  TrainingOptions checked() const;
  /// "seed 1, filters 100, ...": what a model's origin says.
  std::string described() const;
};

}  // namespace tandem
