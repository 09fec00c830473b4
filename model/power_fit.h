// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>

#include "model/measurements.h"

namespace tandem {

/// What an energy counter rose by between two of its values, and what was busy meanwhile.
struct PowerStep {
  double seconds = 0;
  double joules = 0;
  double cores_s = 0;   ///< summed over the cores
  double device_s = 0;  ///< likewise over the devices
};

/// Watts of one domain: static + core x busy cores + device x busy devices. Unknown until fitted.
struct PowerFit {
  double static_w = kUnknown, core_w = kUnknown, device_w = kUnknown;
  /// Of these three, in the order in which they stand, in square watts.
  std::array<std::array<double, 3>, 3> covariance{};
  int steps = 0;

  /// With so many cores and devices busy on average.
  double watts(double cores_busy, double device_busy) const;
  /// The standard error of that.
  double error_w(double cores_busy, double device_busy) const;
};

/// Least squares over the steps, none of the three below 0. A counter that comes every 100 ms gives
/// few values of each of many short experiments; over a whole training they are enough for three
/// numbers. Unknown with fewer than kLeastPowerSteps. What never differed cannot be told apart: the
/// sum is right where it was measured, and the covariance says the rest.
inline constexpr int kLeastPowerSteps = 4;
PowerFit fit_power(std::span<const PowerStep> steps);

}  // namespace tandem
