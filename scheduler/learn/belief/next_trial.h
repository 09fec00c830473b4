// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <string>

#include "scheduler/learn/belief/belief.h"
#include "scheduler/learn/facts/experiment.h"

namespace tandem {

/// A configuration to run for a moment, and why.
struct NextTrial {
  Configuration configuration;
  Observation::Kind kind = Observation::Kind::glance;  ///< or the last look
  bool best = false;                                   ///< it is the best so far
  double expected = 0;          ///< by how much its value is above that of the best so far
  double uncertain = 0;         ///< the standard deviation of its value
  double gain_s = 0;            ///< seconds of frames that it is expected to gain ...
  double costs_s = 0;           ///< ... and that it costs
  double moved = 0;             ///< by how much observations moved its value from the model's
  Configuration moved_by = {};  ///< the one that moved it most; of no stages: none did
};

/// The trial that is worth most: the knowledge gradient over the time for which a choice is kept,
/// less the frames that it costs. If none is worth its costs, the look that the best did not have
/// yet, if any. Pure. `facts`, `findings`: those of `belief`.
std::optional<NextTrial> next_trial(const Belief& belief, const Facts& facts,
                                    const Findings& findings);

/// Plan::why of the last look of a training.
inline constexpr const char* kLookIsDue = "the choice needs a look";

/// The reason for a trial of the belief, for Plan::why: expected value, uncertainty, gain, costs,
/// and the observation that moved the expectation most. Percentages are of the quantity that the
/// objective asks for, such as the rate. An example:
/// `expected 3.0% better than the best so far, uncertain by 5.1%; gains 0.21 s of frames, costs
/// 0.05 s; 4.0% worse than predicted, since gc/cg3 ran`
std::string explain(const NextTrial& trial);

/// The sentence of a trial, look or rest: "look at gc/cg5: " and its reason.
std::string explain(const Plan& plan);

}  // namespace tandem
