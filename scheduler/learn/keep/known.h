// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>

#include "scheduler/learn/keep/knowledge.h"

namespace tandem {

/// What outlives a process: the facts of one training, of what, and what was chosen. What facts
/// mean is left out, for interpret() to say: a later Tandem may understand them better.
struct Known {
  Conditions conditions;
  Facts facts;
  std::optional<Candidate> chosen;  ///< with what was expected of it
  Objective objective;              ///< for which, and ...
  Constraints allowed;              ///< ... among which it was chosen
  int64_t trained_s = 0;  ///< when, or when it was found to hold again, in seconds since 1970, UTC
};

Known known_of(const Conditions& conditions, const Learnt& learnt, int64_t trained_s);

/// With the findings; not shared, and to be verified.
Learnt learnt_of(const Known& known);

}  // namespace tandem
