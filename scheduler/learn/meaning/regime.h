// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>

#include "model/measurements.h"
#include "model/objective.h"

/// What kind of machine and objective a training is for. Pure.
namespace tandem {

/// With so few cores each number of threads is measured, and the model errs most.
inline constexpr int kFewCores = 4;
/// Cores, and part of them.
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

/// Whether a device, or its driver, is made of the cores: beside it they are not what they are
/// alone, and what it computes costs about as much of them as without it.
inline bool is_made_of_cores(const Measurements& measurements) {
  return measurements.device_cores > std::max(kDriverCores, kDriverPart * measurements.cores);
}

}  // namespace tandem
