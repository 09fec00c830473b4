// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <string>

#include "scheduler/learn/belief/next_trial.h"
#include "scheduler/learn/facts/experiment.h"

namespace tandem {

/// Plan::why of the last look of a training.
inline constexpr const char* kLookIsDue = "the choice needs a look";

/// The reason for a trial of the belief, for Plan::why: what is expected of it, by how much that is
/// uncertain, what it gains and costs, and what ran before that led to this. Percentages are of
/// what the objective asks for, such as the rate.
///
///     expected 3.0% better than the best so far, uncertain by 5.1%; gains 0.21 s of frames, costs
///     0.05 s; 4.0% worse than predicted, since gc/cg3 ran
std::string explain(const NextTrial& trial);

/// The sentence of a trial, look or rest: "look at gc/cg5: " and its reason.
std::string explain(const Plan& plan);

}  // namespace tandem
