// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "scheduler/learn/belief/belief.h"

namespace tandem {

/// Rates and times are as they were if they differ by no more than this part.
inline constexpr double kHolds = 0.15;

/// What a choice of `best` loses on average to the rival that may be better by most, in its value.
double expected_loss(const Belief& belief, const Option& best);

/// Ranks what ran by the belief, after `best`, and says what the choice is expected to lose.
/// Conditions are kept by what was measured: a choice with some stays as it is, and so it does
/// without `best`. `findings`: of which the belief was made.
void rank(const Belief& belief, const Option* best, const Findings& findings, Choice& choice);

/// What the belief expects most of, among what the trainings behind it ran.
Choice choose_derived(const Learnt& derived, const Objective& objective,
                      const Constraints& allowed);

/// What looks at knowledge that was not found out by this stream lead to.
struct Verdict {
  enum class Is {
    open,   ///< `look_at` is to be looked at next
    holds,  ///< the knowledge does, and `best` is what to run
    stale,  ///< it does not: train. Of derived knowledge `best` is the best that was looked at
  };
  Is is = Is::open;
  Configuration look_at = {};
  Candidate best = {};
};

/// Pure. `looks`: what was seen of it so far, in order.
///
/// Knowledge of the same conditions holds when what was chosen does within 15% of what was expected
/// of it, in one of four looks or in all so far together. So a machine that has become slower is
/// found out, and so is one that was busy when the knowledge was made.
///
/// Derived knowledge is looked at four times at most: first at what was chosen, then at what the
/// belief takes for worth a look. It holds when a look confirms the best, and when the looks are
/// near enough to what was derived (Belief::errs()).
Verdict verify(const Learnt& learnt, std::span<const Observation> looks, const Objective& objective,
               const Constraints& allowed);

}  // namespace tandem
