// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/worth.h"

#include <algorithm>

#include "scheduler/learn/keep_up.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

constexpr double kPaysBack_s = 20;
constexpr double kGained = 0.01;  // what is more than noise

}  // namespace

bool worth_a_trial(double gain, const Facts& facts, const Objective& objective) {
  if (objective.metric != Metric::throughput || objective.target_fps > 0 ||
      objective.power_budget_w > 0 || objective.target_latency_s > 0)
    return true;
  double best_fps = 0, lost_s = 0;
  int trials = 0, in_vain = 0;
  for (std::size_t i = 0; i < facts.observations.size(); ++i) {
    const Observation& seen = facts.observations[i];
    if (seen.kind == Kind::stages || seen.in_vain) continue;
    const double fps = rate_of(seen);
    if (is_new_glance(facts.observations, i)) {
      ++trials;
      lost_s += seen.lasted_s * std::max(0.0, 1 - fps / best_fps);
      in_vain = fps < (1 + kGained) * best_fps ? in_vain + 1 : 0;
    }
    best_fps = std::max(best_fps, fps);
  }
  if (trials == 0) return true;
  return gain * kPaysBack_s / (1 + in_vain) > lost_s / trials;
}

}  // namespace tandem
