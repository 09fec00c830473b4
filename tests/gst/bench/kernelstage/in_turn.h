// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "model/median.h"

namespace tandem {

/// Milliseconds of one run, the mean of as many as take about 20 ms: what is shorter cannot be told
/// from what the clock and a wait cost.
template <typename Run>
double mean_ms(Run&& run) {
  using std::chrono::steady_clock;
  const auto start = steady_clock::now();
  int runs = 0;
  double ms = 0;
  do {
    run();
    ++runs;
    ms = std::chrono::duration<double, std::milli>(steady_clock::now() - start).count();
  } while (ms < 20);
  return ms / runs;
}

/// Prints a line of the table: `theirs` against `ours`, in turn, so that a machine whose speed
/// drifts hits both. The ratio is the median of theirs / ours: above 1, ours is faster. Beside it
/// is the ratio of the fastest rounds, which others on the machine disturb less. Each call computes
/// `frames`.
template <typename Theirs, typename Ours>
void print_ratio(const char* what, const char* side, double bar, int rounds, Theirs&& theirs,
                 Ours&& ours, int frames = 1) {
  std::vector<double> theirs_ms, ours_ms, ratios;
  for (int round = -1; round < rounds; ++round) {
    const double first = mean_ms(theirs) / frames, second = mean_ms(ours) / frames;
    if (round < 0) continue;  // touches the memory
    theirs_ms.push_back(first);
    ours_ms.push_back(second);
    ratios.push_back(first / second);
  }
  const auto [least, most] = std::ranges::minmax(ratios);
  const double ratio = median(ratios);
  const double of_bests = *std::ranges::min_element(theirs_ms) / *std::ranges::min_element(ours_ms);
  std::printf("| %s | %s | %.4f | %.4f | %.2f (%.2f to %.2f) | %.2f | %.2f | %s |\n", what, side,
              median(theirs_ms), median(ours_ms), ratio, least, most, of_bests, bar,
              ratio >= bar ? "yes" : "NO");
  std::fflush(stdout);
}

}  // namespace tandem
