// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/tandem/options/options.h"
#include "pipelines/training/detector/trainer.h"

namespace tandem {

/// The options of a detector's training, for train-detector and for the cross-validation of
/// evaluate-detector.
std::vector<Option> training_options(TrainingOptions& options);
/// Throws UsageError for a value that is out of range.
void check_training_options(const TrainingOptions& options);
/// "seed 1, filters 100, ...": for a model's origin.
std::string described(const TrainingOptions& options);

}  // namespace tandem
