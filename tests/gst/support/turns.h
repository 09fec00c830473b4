// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

namespace tandem {

/// Frames/s that each of several candidates did, [candidate][turn]. All take a turn before any
/// takes its next one.
using ByTurns = std::vector<std::vector<double>>;

/// What each does typically. Rounds of turns differ by as much as candidates do, as the machine
/// does: what counts is the median of what one did by the mean of its round.
std::vector<double> typical_rates(const ByTurns& measured);

/// Of the rate of the best, and the standard error of that.
struct OfBest {
  double share = 1, error = 0;
};

/// How far one is from the best of all that were measured with it. The best of many that fluctuate
/// did well by chance too. So each turn is compared with the candidate that all other turns say is
/// the best, in the same round, and the shares' geometric mean is taken: of equals that is 1, and
/// it may be above 1. Where turns fluctuate by more than rivals are apart they seldom name the
/// best, and the share is too high: of a tenth, with one 8% ahead of ten equals, 0.95 by eight
/// turns. A single turn is compared with the fastest.
OfBest of_best(const ByTurns& measured, std::size_t candidate);

}  // namespace tandem
