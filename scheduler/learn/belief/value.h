// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

#include "model/objective.h"

/// The value of a prediction, and the gain of a look at an uncertain one. Pure.
namespace tandem {

inline double square(double x) { return x * x; }

/// The logarithm of the quantity that an objective asks for. More is better, and 0.01 is about 1%
/// of the rate, or of joules or seconds where these count. A condition that is missed by 1% costs
/// 0.1. Unknown or infinite where the prediction lacks a value that is needed.
double value_of(const Prediction& prediction, const Objective& objective);

/// The mean of what a standard normal variable plus `z` has above 0.
double mean_above_0(double z);

/// The value of a configuration after an observation: `at_0` + `slope` times a standard normal
/// variable, which all lines share.
struct Line {
  double slope, at_0;
};
/// The mean of the greatest of them: the knowledge gradient of correlated normal beliefs (Frazier,
/// Powell and Dayanik 2009, section 3). Sorts `lines`.
double mean_of_greatest(std::vector<Line>& lines);

}  // namespace tandem
