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

/// Which rows each side computes of a segment: stages that an item passes one after the other, each
/// once, without waiting for the other side. `segment` has their numbers; all are prepared. The
/// cores compute `cpu_share` percent of the rows of a stage that no later one reads, and at least
/// one; of the others each side computes what its later rows need, halos included.
SplitPlan plan_split(const std::vector<Stage*>& stages, const Item& item,
                     std::span<const int> segment, int cpu_share);

/// The rows of each stage of such a segment, as `device_end`, that a device has computed when
/// `band` of `bands` bands are done: as many of the rows of a stage that no later one reads, of the
/// others what these need. With the last band all rows are computed.
SplitPlan plan_bands(const std::vector<Stage*>& stages, const Item& item,
                     std::span<const int> segment, int band, int bands);

}  // namespace tandem
