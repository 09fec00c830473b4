// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "scheduler/learn/belief/belief.h"

namespace tandem {

/// A configuration to run for a moment, and why.
struct NextTrial {
  Configuration configuration;
  Observation::Kind kind = Observation::Kind::glance;  ///< or a look
  bool best = false;                                   ///< it is the best so far
  double expected = 0;          ///< by how much its value is above that of the best so far
  double uncertain = 0;         ///< the standard deviation of its value
  double gain_s = 0;            ///< seconds of frames that it is expected to gain ...
  double costs_s = 0;           ///< ... and that it costs
  double moved = 0;             ///< by how much what ran has moved its value from the model's
  Configuration moved_by = {};  ///< what moved it most; of no stages: nothing did
};

/// The trial or look that is worth most: the knowledge gradient over the time for which a choice is
/// kept, less the frames that it costs. None where nothing is worth what it costs, and the best was
/// looked at. Pure. `facts`, `findings`: of which `belief` was made.
std::optional<NextTrial> next_trial(const Belief& belief, const Facts& facts,
                                    const Findings& findings, const Objective& objective);

/// What a choice of `best` loses on average to the rival that may be better by most, in its value.
double expected_loss(const Belief& belief, const Option& best);

}  // namespace tandem
