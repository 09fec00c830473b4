// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/report/axis.h"

#include <cmath>

#include "pipelines/formatted.h"

namespace tandem {

double Axis::position(double value) const {
  if (!logarithmic) return (value - least) / (most - least);
  return std::log(value / least) / std::log(most / least);
}

std::string Axis::label(double tick) const {
  const bool thousands = ticks.back() >= 10000 && tick >= 1000;
  return thousands ? formatted("%gk", tick / 1000) : formatted("%g", tick);
}

Axis linear_axis(double most, int intervals) {
  const double rough = most / intervals;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {5., 2.5, 2., 1.}) {
    if (factor * power >= rough * (1 - 1e-9)) step = factor * power;
  }
  Axis axis;
  axis.most = most;
  for (int i = 0; i * step <= most * (1 + 1e-9); ++i) axis.ticks.push_back(i * step);
  return axis;
}

Axis logarithmic_axis(double least, double most, std::size_t most_ticks) {
  constexpr double kMargin = 1.25;
  Axis axis{least / kMargin, most * kMargin, true, {}};
  for (const std::vector<double>& factors : {std::vector<double>{1, 2, 5}, {1}}) {
    axis.ticks.clear();
    const int last = static_cast<int>(std::floor(std::log10(axis.most)));
    for (int power = static_cast<int>(std::floor(std::log10(axis.least))); power <= last; ++power) {
      for (const double factor : factors) {
        const double tick = factor * std::pow(10, power);
        if (tick >= axis.least && tick <= axis.most) axis.ticks.push_back(tick);
      }
    }
    if (axis.ticks.size() <= most_ticks) break;
  }
  return axis;
}

}  // namespace tandem
