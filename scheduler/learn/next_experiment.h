// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "scheduler/learn/experiment.h"
#include "scheduler/learn/facts.h"
#include "scheduler/learn/interpret.h"

namespace tandem {

/// What to find out next; without a plan nothing is left that is worth it, and `choice` has what is
/// best.
struct Next {
  std::optional<Plan> plan;
  Choice choice;
};

/// Pure. `findings`: of `facts`.
///
/// First comes what the model is made of: next_measurement().
///
/// What no equation knows, such as threads that get in the driver's way, is found out by trials:
/// the best configuration runs for a moment, and where it does not do what was expected the ranking
/// is corrected and the next best is tried. Then come other numbers of threads and of lanes of the
/// best, and looks that compare near equals.
Next next_experiment(const Facts& facts, const Findings& findings, const Objective& objective,
                     const Constraints& allowed, const Predictor& predictor);

}  // namespace tandem
