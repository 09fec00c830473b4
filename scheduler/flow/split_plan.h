// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/stage.h"

namespace tandem {

/// The rows of the stages of a segment, one after the other.
using SplitPlan = std::array<SplitRows, kMaxStages>;

/// The rows of a segment that each side computes. A segment is a sequence of stages that a frame
/// passes once, without one side waiting for the other. `segment` has their numbers; all are
/// prepared.
///
/// The cores compute `cpu_share` percent of the rows of a stage that no later one reads, and at
/// least one row. For the other stages each side computes the rows that its later rows need, halos
/// included.
SplitPlan plan_split(const std::vector<Stage*>& stages, const Item& item,
                     std::span<const int> segment, int cpu_share);

/// The rows of each stage of such a segment, as `device_end`, that a device has computed after
/// `band` of `bands` bands. A stage that no later one reads has computed that part of its rows, the
/// others the rows that these need. The last band completes all stages.
SplitPlan plan_bands(const std::vector<Stage*>& stages, const Item& item,
                     std::span<const int> segment, int band, int bands);

}  // namespace tandem
