// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "scheduler/learn/knowledge.h"

namespace tandem {

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
/// Knowledge from other sizes is looked at three times at most: first at what it takes for the
/// best, then at what would be better if it erred as much as the looks did so far. It holds when
/// nothing is left that would. An error that all configurations share changes no choice: where
/// there is a large one, a look at another mapping or granularity tells whether they do. Knowledge
/// from before frames took another time is looked at likewise, four times at most: two sides that
/// changed unlike each other leave more open. What a training ran then comes before what the model
/// alone speaks for, and what needs many cores, or few, is expected to do what looks saw of others
/// that do; until one did, a device of few threads is expected to do as before it seemed slow.
/// Where looks disagree it holds if the best of them is as fast as expected.
Verdict verify(const Learnt& learnt, std::span<const Observation> looks, const Objective& objective,
               const Constraints& allowed, const Predictor& predictor);

}  // namespace tandem
