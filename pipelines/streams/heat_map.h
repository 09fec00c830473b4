// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <map>
#include <string>

#include "model/stream_model.h"

namespace tandem::streams {

/// Speed-ups over one stream by (tasks, partitions).
using Grid = std::map<std::pair<int, int>, double>;

/// A picture of a grid: a column for each number of partitions, a row for each of tasks. Cells are
/// the darker the closer they come to `most`. `marked`: gets a frame.
std::string heat_map(const std::string& title, const Grid& grid, double most,
                     const StreamCandidate& marked);

/// Style of the cells, behind that of the report.
extern const char* const kHeatStyle;

}  // namespace tandem::streams
