// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "scheduler/learn/facts/experiment.h"
#include "scheduler/learn/facts/facts.h"
#include "scheduler/learn/meaning/interpret.h"

namespace tandem {

/// The experiments with frames on both sides, after those of next_measurement(); none when the
/// share is found, or when a split cannot gain what it has to. Pure. `findings`: of `facts`.
///
/// The first gives each side half of the rows, the others the shares of next_share(). A split that
/// would gain too little even without fixed times is not tried, nor is another share that, by what
/// is known, is slower by more than that may err, unless `allowed` fixes the mapping.
std::optional<Plan> next_split(const Facts& facts, const Findings& findings,
                               const Objective& objective, const Constraints& allowed);

}  // namespace tandem
