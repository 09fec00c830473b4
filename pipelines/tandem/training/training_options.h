// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <tbb/global_control.h>

#include <algorithm>
#include <string>
#include <thread>
#include <vector>

#include "pipelines/tandem/options/options.h"
#include "pipelines/training/dataset/dataset.h"
#include "pipelines/training/detector/trainer.h"

namespace tandem {

/// The options of a detector's training, for train-detector and for the cross-validation of
/// evaluate-detector.
std::vector<Option> training_options(TrainingOptions& options);
/// Throws UsageError for a value that is out of range.
void check_training_options(const TrainingOptions& options);
/// "seed 1, filters 100, ...": for a model's origin.
std::string described(const TrainingOptions& options);

/// How datasets are read, for the commands that read one: --label, --format and --split.
std::vector<Option> dataset_options(DatasetOptions& values);

/// Throws UsageError.
void check_dataset_options(const DatasetOptions& values);

/// How many threads a command may use: 0 is one for each core.
inline Option threads_option(int& threads) {
  return option("threads", threads, "N", "Threads to use; 0 = one for each core (0)");
}

/// Holds for oneTBB while the result lives. Throws UsageError.
inline tbb::global_control limit_threads(int threads) {
  if (threads < 0) throw UsageError("--threads must not be negative");
  return {tbb::global_control::max_allowed_parallelism,
          threads > 0 ? static_cast<std::size_t>(threads)
                      : std::max(1u, std::thread::hardware_concurrency())};
}

}  // namespace tandem
