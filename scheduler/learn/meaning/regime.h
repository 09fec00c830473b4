// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>

#include "model/measurements.h"
#include "model/objective.h"

/// Kinds of machines and objectives that trainings tell apart. Pure.
namespace tandem {

/// With so few cores each number of threads is measured, and the model errs most.
inline constexpr int kFewCores = 4;
/// A device that takes more cores than both, a number and a part of all, is made of the cores.
inline constexpr double kDriverCores = 1.5, kDriverPart = 0.25;

/// Whether nothing but the rate counts.
inline bool is_of_rate_alone(const Objective& objective) {
  return objective.metric == Metric::throughput && !has_conditions(objective);
}

/// Seconds that all stages take under medium grain; unknown as long as one was not measured there.
inline double medium_s(const Measurements& measurements) {
  double sum_s = 0;
  for (const StageMeasurements& stage : measurements.stages) sum_s += stage.mg.seconds;
  return sum_s;
}

/// Whether a device, or its driver, is made of the cores. Beside it they are not what they are
/// alone, and its work costs about as much of them as without it.
inline bool is_made_of_cores(const Measurements& measurements) {
  return measurements.device_cores > std::max(kDriverCores, kDriverPart * measurements.cores);
}

}  // namespace tandem
