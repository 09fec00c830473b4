// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/worth.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "scheduler/learn/experiment.h"
#include "scheduler/learn/keep_up.h"
#include "scheduler/learn/next_threads.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

constexpr double kPaysBack_s = 20;
constexpr double kGlancesOfALook = 2.5;  // that last as long
// A trial has to gain twice as much after so many, or so many seconds of them.
constexpr double kPatience = 4.5, kPatience_s = 2;
// Cores, and part of them.
constexpr double kDriverCores = 1.5, kDriverPart = 0.25;

bool has_conditions(const Objective& objective) {
  return objective.target_fps > 0 || objective.power_budget_w > 0 || objective.target_latency_s > 0;
}

bool has_rate_twice(const Objective& objective) {
  return objective.metric == Metric::efficiency || objective.metric == Metric::edp;
}

}  // namespace

bool worth_a_trial(double gain, const Facts& facts, const Objective& objective) {
  if (!is_of_rate_alone(objective)) return true;
  double best_fps = 0, lost_s = 0;
  int trials = 0;
  for (std::size_t i = 0; i < facts.observations.size(); ++i) {
    const Observation& seen = facts.observations[i];
    if (seen.kind == Kind::stages || seen.in_vain) continue;
    const double fps = rate_of(seen);
    if (is_new_glance(facts.observations, i)) {
      ++trials;
      lost_s += seen.lasted_s * std::max(0.0, 1 - fps / best_fps);
    }
    best_fps = std::max(best_fps, fps);
  }
  if (trials == 0) return true;
  return gain * kPaysBack_s > lost_s / trials;
}

double tried(const Facts& facts) {
  double sum = 0;
  for (const Observation& seen : facts.observations)
    if (is_trial(seen.kind)) sum += seen.kind == Kind::look ? kGlancesOfALook : 1;
  return sum;
}

double impatience(const Facts& facts) {
  double tried_s = 0;
  for (const Observation& seen : facts.observations)
    if (is_trial(seen.kind)) tried_s += seen.lasted_s;
  const double part =
      facts.chain.cores > kSomeCores ? tried(facts) / kPatience : tried_s / kPatience_s;
  return 1 + part * part;
}

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
    return seen.kind == Kind::beside && cores_beside(seen.configuration, devices) == 1 &&
           device_s < kTooSlow * seen.frame_s;
  });
}

double most_driver_cores(int cores) { return std::max(kDriverCores, kDriverPart * cores); }

bool is_made_of_cores(const Measurements& measurements) {
  return measurements.device_cores > most_driver_cores(measurements.cores);
}

double margin_of(const Objective& objective, double rate) {
  return has_rate_twice(objective) ? 2 * rate : rate;
}

double lead_of(const Prediction& b, const Prediction& a, const Objective& objective) {
  if (has_conditions(objective) || objective.metric == Metric::latency) return kUnknown;
  const double rate = std::log(b.throughput_fps / a.throughput_fps);
  if (objective.metric == Metric::throughput) return rate;
  const double joules = std::log(a.energy_j / b.energy_j);
  return has_rate_twice(objective) ? (rate + joules) / 2 : joules;
}

double mean_above_0(double mean, double spread) {
  const double z = mean / spread;
  const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
  return spread * (density + z * std::erfc(-z / std::numbers::sqrt2) / 2);
}

}  // namespace tandem
