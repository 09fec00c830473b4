// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "scheduler/learn/facts/experiment.h"
#include "scheduler/learn/meaning/interpret.h"

namespace tandem {

/// The next measurement. Without a plan no other one is worth it, and `choice` has the best
/// configuration.
struct Next {
  std::optional<Plan> plan;
  Choice choice;
};

/// Pure. `findings`: of `facts`.
///
/// Measurements for the model come first: next_measurement().
///
/// Trials and looks show effects that no equation knows, such as threads that get in the driver's
/// way: next_trial(). Each has its reason in Plan::why.
Next next_experiment(const Facts& facts, const Findings& findings, const Objective& objective,
                     const Constraints& allowed);

}  // namespace tandem
