// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "pipelines/tandem/bench/report.h"

namespace tandem {

/// A line a configuration, for the terminal. Columns that would be empty, or would say the same as
/// another, are left out: least and most of a single round, predictions and energies that nobody
/// knows.
std::string to_table(const BenchResult& result);

}  // namespace tandem
