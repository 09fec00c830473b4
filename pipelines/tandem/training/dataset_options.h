// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "pipelines/tandem/options/options.h"
#include "pipelines/training/dataset/dataset.h"

namespace tandem {

/// How datasets are read, for the commands that read one: --label, --format and --split.
std::vector<Option> dataset_options(DatasetOptions& values);

/// Throws UsageError.
void check_dataset_options(const DatasetOptions& values);

}  // namespace tandem
