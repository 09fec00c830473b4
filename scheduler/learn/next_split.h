// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "scheduler/learn/experiment.h"
#include "scheduler/learn/facts.h"
#include "scheduler/learn/interpret.h"

namespace tandem {

/// The experiments with frames on both sides, after those of next_measurement(); none when the
/// share is found, or when a split cannot gain what it has to. Pure. `findings`: of `facts`.
///
/// The first gives each side half of the rows, the others the shares of next_share(). A split that
/// would gain too little even without fixed times is not tried, nor is another share that, by what
/// is known, is slower by more than that may err, unless `allowed` fixes the mapping.
std::optional<Plan> next_split(const Facts& facts, const Findings& findings,
                               const Objective& objective, const Constraints& allowed,
                               const Predictor& predictor);

/// The best of the whole frames where a split is the best of what was measured and nobody looked at
/// them: a prediction may err by more than a split gains.
std::optional<Configuration> whole_beside_split(const Findings& findings, const Choice& measured,
                                                const Constraints& allowed,
                                                const Predictor& predictor);

}  // namespace tandem
