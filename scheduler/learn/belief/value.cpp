// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/value.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace tandem {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
// Weight of a missed condition relative to the optimised quantity: meeting it comes first.
constexpr double kUnmet = 10;

// How far a quantity is above its limit; 0 without a limit.
double beyond(double quantity, double limit) {
  return limit > 0 ? std::max(0.0, std::log(quantity / limit)) : 0;
}

double of_metric(const Prediction& p, Metric metric) {
  switch (metric) {
    case Metric::throughput:
      return std::log(p.throughput_fps);
    case Metric::energy:
      return -std::log(p.energy_j);
    case Metric::efficiency:
    case Metric::edp:  // both have the rate in them twice
      return std::log(p.throughput_fps / p.energy_j) / 2;
    case Metric::latency:
      return -std::log(p.latency_s);
  }
  return kUnknown;
}

}  // namespace

double value_of(const Prediction& p, const Objective& objective) {
  const double frame_s = 1 / p.throughput_fps;
  double target_fps = objective.target_fps;
  Metric metric = objective.metric;
  if (target_fps > 0) {
    metric = Metric::energy;
  } else if (objective.power_budget_w > 0 || objective.target_latency_s > 0) {
    metric = Metric::throughput;
  } else if (metric == Metric::latency) {
    target_fps = objective.source_fps;
  }
  double missed =
      beyond(p.power_w, objective.power_budget_w) + beyond(p.latency_s, objective.target_latency_s);
  if (target_fps > 0) missed += beyond(frame_s, 1 / target_fps);
  return of_metric(p, metric) - kUnmet * missed;
}

double mean_above_0(double z) {
  return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi) +
         z * std::erfc(-z / std::numbers::sqrt2) / 2;
}

double mean_of_greatest(std::vector<Line>& lines) {
  std::ranges::sort(lines, [](const Line& a, const Line& b) {
    return a.slope != b.slope ? a.slope < b.slope : a.at_0 < b.at_0;
  });
  // The upper envelope, in place: line i of it is the greatest from corner i on.
  static thread_local std::vector<double> corners;
  corners.clear();
  std::size_t kept = 0;
  double greatest = -kInfinity;
  for (const Line line : lines) {
    greatest = std::max(greatest, line.at_0);
    double corner = -kInfinity;
    while (kept > 0) {
      const Line& before = lines[kept - 1];
      const double steeper = line.slope - before.slope;
      corner = steeper > 0 ? (before.at_0 - line.at_0) / steeper : -kInfinity;
      if (corner > corners.back()) break;
      --kept;
      corners.pop_back();
    }
    lines[kept++] = line;
    corners.push_back(corner);
  }
  double mean = greatest;
  for (std::size_t i = 1; i < kept; ++i)
    mean += (lines[i].slope - lines[i - 1].slope) * mean_above_0(-std::abs(corners[i]));
  return mean;
}

}  // namespace tandem
