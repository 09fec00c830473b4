// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "scheduler/learn/facts/experiment.h"
#include "scheduler/learn/meaning/interpret.h"

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
/// What no equation knows, such as threads that get in the driver's way, is found out by trials and
/// looks: next_trial(). Each has its reason in Plan::why.
Next next_experiment(const Facts& facts, const Findings& findings, const Objective& objective,
                     const Constraints& allowed);

}  // namespace tandem
