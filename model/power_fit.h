// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/busy.h"
#include "model/measurements.h"

namespace tandem {

/// What an energy counter rose by between two of its values, and what was busy meanwhile.
struct PowerStep {
  double seconds = 0;
  double joules = 0;
  Busy busy;
  /// How much of it each kind of configuration ran: those that differ in threads alone are one.
  std::vector<double> parts = {};
};

/// Watts of one domain: static + core x busy cores + for each kind of device, its watts x busy
/// devices of that kind. Unknown until fitted.
struct PowerFit {
  static constexpr int kTerms = 2 + kMaxLetters;
  double static_w = kUnknown, core_w = kUnknown;
  PerLetter device_w{kUnknown, kUnknown, kUnknown};
  /// Of these, in the order in which they stand, in square watts.
  std::array<std::array<double, kTerms>, kTerms> covariance{};
  int steps = 0;
  /// What a kind of configuration draws beyond that, and how many steps tell of it. A device that
  /// is always busy draws more with more lanes, or for other stages.
  struct Own {
    double watts = 0, steps = 0;
  };
  std::vector<Own> own = {};

  /// With so many cores and devices busy: `busy` is seconds a second.
  double watts(const Busy& busy) const;
  /// The same of a kind of configuration, by its place; that of any other one where there is none.
  double watts(const Busy& busy, std::size_t kind) const;
  /// The standard error of that.
  double error_w(const Busy& busy) const;
};

/// Least squares over the steps, none of the coefficients below 0. A counter that comes every 100
/// ms gives few values of each of many short experiments; over a whole training they are enough for
/// a handful of numbers. Unknown unless there are more steps than coefficients of what was ever
/// busy, and kLeastPowerSteps. A kind that never was has 0. What never differed cannot be told
/// apart: the sum is right where it was measured, and the covariance says the rest. The rest of
/// each step belongs to the kinds of configuration that ran in it, as far as one or two steps can
/// tell.
inline constexpr int kLeastPowerSteps = 4;
PowerFit fit_power(std::span<const PowerStep> steps);

}  // namespace tandem
