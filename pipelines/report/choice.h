// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>
#include <vector>

#include "pipelines/report/metric.h"

namespace tandem {

/// Sentences that say whether the chosen configuration was the best and why: what was expected of
/// it and measured, what training tried, and what was expected of the one that is better. Empty
/// where the file does not tell what was chosen, or what that reached. `metrics` as for
/// summary_table.
std::string choice_sentences(const BenchFile& bench, const std::vector<Metric>& metrics);

}  // namespace tandem
