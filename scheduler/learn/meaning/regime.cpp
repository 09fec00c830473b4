// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/regime.h"

#include <algorithm>

namespace tandem {
namespace {

// Cores, and part of them.
constexpr double kDriverCores = 1.5, kDriverPart = 0.25;

}  // namespace

bool is_of_rate_alone(const Objective& objective) {
  return objective.metric == Metric::throughput && !has_conditions(objective);
}

double medium_s(const Measurements& measurements) {
  double sum_s = 0;
  for (const StageMeasurements& stage : measurements.stages) sum_s += stage.mg.seconds;
  return sum_s;
}

bool is_made_of_cores(const Measurements& measurements) {
  return measurements.device_cores > std::max(kDriverCores, kDriverPart * measurements.cores);
}

}  // namespace tandem
