// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/regime.h"

#include <algorithm>

#include "scheduler/learn/facts/experiment.h"

namespace tandem {
namespace {

// Cores, and part of them.
constexpr double kDriverCores = 1.5, kDriverPart = 0.25;

bool has_rate_twice(const Objective& objective) {
  return objective.metric == Metric::efficiency || objective.metric == Metric::edp;
}

}  // namespace

bool is_of_rate_alone(const Objective& objective) {
  return objective.metric == Metric::throughput && !has_conditions(objective);
}

bool is_led_by_rate(const Objective& objective) {
  return !has_conditions(objective) &&
         (objective.metric == Metric::throughput || has_rate_twice(objective));
}

double medium_s(const Measurements& measurements) {
  double sum_s = 0;
  for (const StageMeasurements& stage : measurements.stages) sum_s += stage.mg.seconds;
  return sum_s;
}

double cores_part(const Measurements& measurements, double throughput_fps) {
  return 1 / medium_s(measurements) / throughput_fps;
}

bool is_held_up_by_a_core(std::span<const Observation> observations, int devices, double device_s) {
  return std::ranges::any_of(observations, [&](const Observation& seen) {
    return seen.kind == Observation::Kind::beside &&
           cores_beside(seen.configuration, devices) == 1 && device_s < kTooSlow * seen.frame_s;
  });
}

bool is_made_of_cores(const Measurements& measurements) {
  return measurements.device_cores > std::max(kDriverCores, kDriverPart * measurements.cores);
}

}  // namespace tandem
