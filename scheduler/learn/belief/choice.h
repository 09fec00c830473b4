// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "scheduler/learn/belief/belief.h"

namespace tandem {

/// Rates and times are as they were if they differ by no more than this part.
inline constexpr double kHolds = 0.15;

/// The mean loss of value by choosing `best` instead of the rival for which this loss is largest.
double expected_loss(const Belief& belief, const Option& best);

/// Ranks configurations that ran by the belief, after `best`, and sets the choice's expected loss.
/// Measurements decide if conditions are met: a choice with conditions stays as it is, and so it
/// does without `best`. `findings`: those of the belief.
void rank(const Belief& belief, const Option* best, const Findings& findings, Choice& choice);

/// The best by the belief among the configurations that ran in the trainings behind `derived`.
Choice choose_derived(const Learnt& derived, const Objective& objective,
                      const Constraints& allowed);

/// The result of looks at knowledge that this stream did not gain.
struct Verdict {
  enum class Is {
    open,   ///< `look_at` is to be looked at next
    holds,  ///< the knowledge holds, and `best` is to run
    stale,  ///< it does not: train. If it is derived, `best` is the best that was looked at
  };
  Is is = Is::open;
  Configuration look_at = {};
  Candidate best = {};
};

/// Pure. `looks`: observations of it so far, in order.
///
/// Knowledge of the same conditions holds when the chosen configuration is within 15% of its
/// expected rate, in one of four looks or in all so far together. So a machine that has become
/// slower is found out, and so is one that was busy when the knowledge was made.
///
/// Derived knowledge gets at most four looks: the first at the chosen configuration, the next where
/// the belief finds one worth it. It holds when a look confirms the best, and when the looks are
/// near enough to the derived times (Belief::errs()).
Verdict verify(const Learnt& learnt, std::span<const Observation> looks, const Objective& objective,
               const Constraints& allowed);

}  // namespace tandem
