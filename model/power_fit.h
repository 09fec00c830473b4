// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>
#include <vector>

#include "model/busy.h"
#include "model/measurements.h"

namespace tandem {

/// Increase of an energy counter between two of its values, and the busy times meanwhile.
struct PowerStep {
  double seconds = 0;
  double joules = 0;
  Busy busy;
  /// Part of the step that each kind of configuration ran; threads make no other kind.
  std::vector<double> parts = {};
};

/// Watts of one domain: static + core x busy cores + for each kind of device, its watts x busy
/// devices of that kind. Unknown until fitted.
struct PowerFit {
  static constexpr int kTerms = 2 + kMaxLetters;
  double static_w = kUnknown, core_w = kUnknown;
  PerLetter device_w{kUnknown, kUnknown, kUnknown};
  /// Covariance of these terms in their order here, in square watts.
  std::array<std::array<double, kTerms>, kTerms> covariance{};
  int steps = 0;
  /// Watts of a kind of configuration beyond that, and the sum of its PowerStep::parts. A device
  /// that is always busy draws more with more lanes, or for other stages.
  struct Own {
    double watts = 0, steps = 0;
  };
  std::vector<Own> own = {};

  /// With so many cores and devices busy: `busy` is seconds a second.
  double watts(const Busy& busy) const;
  /// The same for a kind of configuration, by its place; without its own watts if it has none.
  double watts(const Busy& busy, std::size_t kind) const;
  /// The standard error of that.
  double error_w(const Busy& busy) const;
};

/// Least squares over the steps, none of the coefficients below 0. A counter with a value every 100
/// ms gives few of each of many short experiments; over a whole training they are enough for a
/// handful of numbers. Unknown unless there are at least kLeastPowerSteps, and more steps than
/// terms that were ever above 0. A kind of device that never was busy has 0. Terms that never
/// differed cannot be told apart: their sum is right where it was measured, and the covariance
/// shows the uncertainty. The rest of each step belongs to the kinds of configuration that ran in
/// it, as far as one or two steps can tell.
inline constexpr int kLeastPowerSteps = 4;
PowerFit fit_power(std::span<const PowerStep> steps);

}  // namespace tandem
