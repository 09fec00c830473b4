// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace tandem {

/// Frames/s of frames that left at these times, in order, in bursts of about `burst`: threads that
/// began together finish together. From the mean time of the first `burst` to that of the last, so
/// that it does not matter where in a burst a turn begins and ends; 0 of fewer than two bursts.
double rate_of_bursts(const std::vector<double>& left_s, std::size_t burst);

/// Runs of some configurations one after the other, so many times.
struct Turns {
  double seconds;
  int rounds;
};

/// Frames/s that each of several candidates did, [candidate][turn]. All take a turn before any
/// takes its next one.
using ByTurns = std::vector<std::vector<double>>;

/// What each does typically. Rounds of turns differ by as much as candidates do, as the machine
/// does: what counts is the median of what one did by the mean of its round.
std::vector<double> typical_rates(const ByTurns& measured);

/// A share of the best rate, and its standard error.
struct OfBest {
  double share = 1, error = 0;
};

/// Shares of what was the fastest each time.
struct Shares {
  double sum = 0, least = 1;
  int count = 0;

  void add(double share) {
    sum += share;
    least = std::min(least, share);
    ++count;
  }
  double mean() const { return sum / count; }
};

/// How far one is from the best of all that were measured with it. The fastest of many that
/// fluctuate did well by chance too: a share of it is too low. So each turn is compared with the
/// candidate that all other turns say is the best, in the same round, and the shares' geometric
/// mean is taken. Of equals it is 1. Where rivals are closer than turns tell, the other turns
/// seldom name the best, and this share is too high. The truth lies between both: where turns
/// fluctuate by 10%, six of them say 0.90 of the fastest and 0.95 in this way of one that does
/// 0.92, beside rivals that do 0.94. A single turn is compared with the fastest.
OfBest of_best(const ByTurns& measured, std::size_t candidate);

}  // namespace tandem
