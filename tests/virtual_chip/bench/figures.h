// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "tests/virtual_chip/bench/outcome.h"

namespace tandem::test {

/// Of one figure over many chips.
struct Mean {
  std::size_t count = 0;
  double mean = 0;
  double error = 0;  ///< standard error of the mean; 0 with fewer than two values

  /// Half of the 95% interval: the quantile 0.975 of Student's t, times the error.
  double half_interval() const;
  /// Whether the interval leaves out 0.
  bool differs() const { return count > 1 && std::abs(mean) > half_interval(); }
};

inline Mean mean_of(std::span<const double> values) {
  Mean of{values.size()};
  if (values.empty()) return of;
  const auto count = static_cast<double>(values.size());
  for (const double value : values) of.mean += value / count;
  if (values.size() < 2) return of;
  double squares = 0;
  for (const double value : values) squares += (value - of.mean) * (value - of.mean);
  of.error = std::sqrt(squares / (count - 1) / count);
  return of;
}

/// Quantile 0.975, by the expansion of Cornish and Fisher; off by less than 0.5% from 4 degrees on.
inline double student_t(std::size_t degrees) {
  constexpr double kZ = 1.959964, kZ3 = kZ * kZ * kZ, kZ5 = kZ3 * kZ * kZ, kZ7 = kZ5 * kZ * kZ;
  constexpr std::array kExact{12.7062, 4.3027, 3.1824};
  if (degrees <= kExact.size()) return kExact[std::max<std::size_t>(degrees, 1) - 1];
  const auto n = static_cast<double>(degrees);
  return kZ + (kZ3 + kZ) / (4 * n) + (5 * kZ5 + 16 * kZ3 + 3 * kZ) / (96 * n * n) +
         (3 * kZ7 + 19 * kZ5 + 17 * kZ3 - 15 * kZ) / (384 * n * n * n);
}

inline double Mean::half_interval() const { return count < 2 ? 0 : student_t(count - 1) * error; }

/// 1 - value of what was chosen / the best value that is known: that of the search or of a choice.
inline double regret(const Outcome& outcome, double other_value = 0) {
  return 1 -
         outcome.chosen_value / std::max({outcome.best_value, outcome.chosen_value, other_value});
}

inline constexpr std::array kFigures{"regret",     "training, s", "slow, s",
                                     "first 20 s", "experiments", "trials"};
using Figures = std::array<double, kFigures.size()>;

/// `other_value`: of what another build chose on the chip, which may be the best.
inline Figures figures_of(const Outcome& outcome, double other_value = 0) {
  return {regret(outcome, other_value),
          outcome.training_s,
          outcome.slow_s,
          outcome.first_20_s,
          static_cast<double>(outcome.experiments),
          static_cast<double>(outcome.trials)};
}

/// Two builds on the same chips.
struct Difference {
  Mean mean;                       ///< new - old
  std::size_t less = 0, more = 0;  ///< chips on which the new one has less, or more
};

/// `before` and `now` have the same chips in the same order.
inline std::array<Difference, kFigures.size()> differences(std::span<const Outcome> before,
                                                           std::span<const Outcome> now) {
  std::array<std::vector<double>, kFigures.size()> values;
  for (std::size_t i = 0; i < now.size(); ++i) {
    const Figures old = figures_of(before[i], now[i].chosen_value);
    const Figures figures = figures_of(now[i], before[i].chosen_value);
    for (std::size_t f = 0; f < figures.size(); ++f) values[f].push_back(figures[f] - old[f]);
  }
  std::array<Difference, kFigures.size()> all;
  for (std::size_t f = 0; f < all.size(); ++f) {
    all[f].mean = mean_of(values[f]);
    for (const double value : values[f]) {
      all[f].less += value < 0;
      all[f].more += value > 0;
    }
  }
  return all;
}

}  // namespace tandem::test
