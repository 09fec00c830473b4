// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "scheduler/learn/experiment.h"
#include "scheduler/learn/facts.h"
#include "scheduler/learn/interpret.h"

namespace tandem {

/// The experiments with frames on both sides, after those of next_measurement(); none when both are
/// made, or when a split cannot gain what it has to. Pure. `findings`: of `facts`.
///
/// The first gives each side half of the rows: what it takes for them, and what it takes for all,
/// tell its fixed time and its rate. The second takes the share for which both sides then take as
/// long, unless that is nearly half. A split that would gain too little even without fixed times is
/// not tried, unless `allowed` fixes the mapping.
std::optional<Plan> next_split(const Facts& facts, const Findings& findings,
                               const Objective& objective, const Allowed& allowed,
                               const Predictor& predictor);

}  // namespace tandem
