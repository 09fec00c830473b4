// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

namespace tandem::streams {

/// 0 without values.
double mean_of(const std::vector<double>& values);
/// The square root of the mean squared distance from the mean.
double deviation_of(const std::vector<double>& values);

struct Spread {
  double median = 0, mean = 0;
  double interval = 1;  ///< width of the mean's 95% confidence interval by Student's t, relative
};
/// For one value or more; the interval of a single one is 1.
Spread spread_of(std::vector<double> values);

}  // namespace tandem::streams
