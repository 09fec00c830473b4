// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "scheduler/learn/facts/conditions.h"
#include "scheduler/learn/meaning/interpret.h"

namespace tandem {

/// Knowledge of frames under one set of conditions.
struct Learnt {
  enum class Origin {
    training,     ///< of a bin of this process
    file,         ///< a training of an earlier process
    other_sizes,  ///< derived from trainings on frames of other sizes
    slower,       ///< derived from a training before frames took another time
  };

  Facts facts;        ///< of the latest training
  Findings findings;  ///< what they mean
  Candidate chosen;
  Objective objective;  ///< for which, and ...
  Constraints allowed;  ///< ... among which, `chosen` is the best that was found
  Origin origin = Origin::training;
  double pixels_off = 0;  ///< `other_sizes`: logarithm of the pixels, by those of the nearest size
  bool verified = true;   ///< it holds now, as far as anybody looked
  uint64_t version = 0;   ///< of what bins share, greater than all before; 0: not shared

  bool derived() const { return origin == Origin::other_sizes || origin == Origin::slower; }
};

/// All that was learnt. Outlives the streams that fill it.
using Knowledge = std::map<Conditions, Learnt>;

/// Knowledge that outlives a process: conditions, facts and choice of one training. Findings are
/// left out: interpret() makes them, and a later Tandem may understand the facts better.
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
