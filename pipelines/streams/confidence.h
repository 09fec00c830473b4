// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <vector>

namespace tandem::streams {

struct Spread {
  double median = 0, mean = 0;
  double interval = 1;  ///< width of the mean's 95% confidence interval by Student's t, relative
};
/// For one value or more; the interval of a single one is 1.
Spread spread_of(std::vector<double> values);

}  // namespace tandem::streams
