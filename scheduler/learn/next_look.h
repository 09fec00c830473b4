// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "model/correction.h"
#include "model/objective.h"
#include "scheduler/learn/facts.h"
#include "scheduler/learn/interpret.h"

/// Looks at what may be best. Pure.
namespace tandem {

/// Whose turn it is to be looked at: the best or a near equal; null when so little is to be gained
/// by knowing which of them is better that it does not matter. What was never tried, and has
/// nothing beside it, needs no comparison, nor have more lanes than are expected to be enough,
/// where these are the best.
///
/// Near equals are looked at in turn, so that a machine that slows down does so for all of them.
/// What choosing the best so far is expected to lose against a rival is the mean of how far the
/// rival may be ahead, none where it is behind. What may be lost grows with the looks that were
/// made, and what a risk has to be ahead is no loss.
///
/// Where rate leads, the best is looked at once more if its only two looks contradict each other.
const Candidate* worth_a_look(const Choice& measured, const Findings& findings, const Facts& facts,
                              int expected_lanes);

/// With up to kSomeCores cores, where a mapping with the device is best by rate: all n cores, if
/// they did much less than n times what one does alone. Something else may have had their time for
/// a moment, and the device, which was measured before or after it, seems the better choice. Twice
/// at most, after some trials each. `is_last`: nothing else is to be tried, and one look is enough.
std::optional<Configuration> slowed_cores(const Choice& measured, const Findings& findings,
                                          const Facts& facts, bool is_last = false);

/// The one trial under coarse grain that fell far short of what was expected, where that is well
/// ahead of the best: something else may have been at work for a moment. None once it had a look,
/// where others fell short as well, or where not the rate alone counts: a look at power is not
/// ended when it is slow.
std::optional<Configuration> second_chance(const Choice& measured, const Findings& findings,
                                           const Facts& facts);

/// Lanes were measured first, while the device woke up and memory for more frames was made: the
/// best and other lanes of it that were not far behind then, but never ran since. Each once.
const Candidate* measured_too_early(const Choice& measured, const Facts& facts,
                                    const Measurements& measurements);

}  // namespace tandem
