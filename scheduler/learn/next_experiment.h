// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <vector>

#include "scheduler/learn/experiment.h"
#include "scheduler/learn/interpret.h"

namespace tandem {

/// What one training found out, in the order in which it did, and of what. Only ever appended to.
struct Facts {
  Chain chain;
  std::vector<Observation> observations;
};

/// What to find out next; without a plan nothing is left that is worth it, and `choice` has what is
/// best.
struct Next {
  std::optional<Plan> plan;
  Choice choice;
};

/// Pure. `findings`: of `facts`.
///
/// First come the nC + 3 experiments of paper 1, section III-A: coarse grain with 1 ... nC + 1
/// threads (few of them where there are many cores, and the one that is fixed), the device alone,
/// medium grain, each a homogeneous run. The device alone is an
/// experiment of two halves: its stages one by one, for where the time goes, and whole frames, for
/// how much of it the stages of a frame hide from each other when nobody waits in between. Where
/// the device has lanes, it follows alone with twice as many each time, X(S), until that gains less
/// than 5%.
///
/// What no equation knows, such as threads that get in the driver's way, is found out by trials:
/// the best configuration runs for a moment, and where it does not do what was expected the ranking
/// is corrected and the next best is tried. Then come other numbers of threads and of lanes of the
/// best, and looks that compare near equals.
Next next_experiment(const Facts& facts, const Findings& findings, const Objective& objective,
                     const Allowed& allowed, const Predictor& predictor);

}  // namespace tandem
