// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "scheduler/learn/facts/observation.h"

namespace tandem::test {

/// How honest a belief was about configurations that ran for the first time in a trial.
struct Calibration {
  int trials = 0;
  /// (measured - expected) / standard deviation of the logarithm of the rate, with the noise of the
  /// trial: the sum of squares, and in how many trials it was at most 1 and at most 2.
  double squares = 0;
  int within_1 = 0, within_2 = 0;
};

/// Of a training by throughput: before each of its trials the belief is made anew.
Calibration calibration_of(const Facts& facts);

}  // namespace tandem::test
