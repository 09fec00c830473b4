// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "scheduler/learn/belief/belief.h"

namespace tandem {

/// Ranks what ran by the belief, after `best`, and says what the choice is expected to lose.
/// `findings`: of which the belief was made.
void rank(const Belief& belief, const Option& best, const Findings& findings, Choice& choice);

/// What the belief expects most of, among what the trainings behind it ran.
Choice choose_derived(const Learnt& derived, const Objective& objective,
                      const Constraints& allowed);

}  // namespace tandem
