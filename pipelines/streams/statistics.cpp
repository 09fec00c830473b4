// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/streams/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

namespace tandem::streams {
namespace {

// The 97.5% quantile of Student's t, by degrees of freedom from 1; the normal one's beyond.
double student_t(std::size_t freedom) {
  constexpr double kTable[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306,
                               2.262,  2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120,
                               2.110,  2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064,
                               2.060,  2.056, 2.052, 2.048, 2.045, 2.042};
  return freedom <= std::size(kTable) ? kTable[freedom - 1] : 2.0;
}

double squares_around(double mean, const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares;
}

}  // namespace

double mean_of(const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double deviation_of(const std::vector<double>& values) {
  return std::sqrt(squares_around(mean_of(values), values) / static_cast<double>(values.size()));
}

Spread spread_of(std::vector<double> values) {
  const std::size_t n = values.size();
  std::ranges::sort(values);
  Spread spread;
  spread.median = n % 2 == 1 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
  spread.mean = mean_of(values);
  if (n < 2 || spread.mean <= 0) return spread;
  const double deviation =
      std::sqrt(squares_around(spread.mean, values) / static_cast<double>(n - 1));
  spread.interval =
      2 * student_t(n - 1) * deviation / std::sqrt(static_cast<double>(n)) / spread.mean;
  return spread;
}

}  // namespace tandem::streams
