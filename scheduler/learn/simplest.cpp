// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/simplest.h"

#include <algorithm>
#include <tuple>

#include "scheduler/learn/looks.h"
#include "scheduler/learn/next_measurement.h"
#include "scheduler/learn/worth.h"

namespace tandem {
namespace {

// The cores are in the way of a device where they reach no more than this part of its rate.
constexpr double kInTheWay = 0.1;
// A candidate that is behind by so many standard errors of the difference is no equal.
constexpr double kBehind = 0.25;

int device_runs(const Configuration& configuration) {
  const Mapping& mapping = configuration.mapping;
  int runs = 0;
  for (int k = 0; k < mapping.stages; ++k)
    if (mapping.side(k) != Side::c && (k == 0 || mapping.side(k) != mapping.side(k - 1))) ++runs;
  return runs;
}

// How far two that are looked at are apart by chance. Looks tell it of rates and what goes with
// them, not of latencies.
double noise_of(const Candidate& candidate, const Candidate& best, double spread,
                const Findings& findings, const Objective& objective) {
  if (!known(lead_of(candidate.prediction, best.prediction, objective))) return kLeastNoise;
  const double error =
      error_of_lead(candidate.configuration, best.configuration, spread, findings, objective);
  return std::min(kLeastNoise, margin_of(objective, kBehind * error));
}

}  // namespace

bool cores_are_in_the_way(const Measurements& measurements, double best_fps) {
  double part = cores_part(measurements, best_fps);
  for (std::size_t n = 0; n < measurements.cg_interpolated.size(); ++n)
    if (!measurements.cg_interpolated[n])
      part = std::max(part, 1 / measurements.cg[n].seconds / best_fps);
  return part < kInTheWay;
}

bool is_risky(const Configuration& configuration, const Measurements& measurements,
              double best_fps) {
  const bool uses_cores = configuration.granularity == Granularity::medium ||
                          configuration.threads > measurements.devices;
  return measurements.cores > kFewCores && configuration.mapping.any_device() && uses_cores &&
         cores_are_in_the_way(measurements, best_fps);
}

double risk_of(const Configuration& configuration, const Measurements& measurements,
               double best_fps) {
  return is_risky(configuration, measurements, best_fps) ? kRisk : 0;
}

void put_simplest_first(Choice& choice, const Facts& facts, const Findings& findings) {
  const Candidate best = choice.best();
  const double spread = spread_of_looks(facts.observations);
  const auto risk = [&](const Candidate& candidate) {
    return is_led_by_rate(choice.objective)
               ? risk_of(candidate.configuration, findings.measurements,
                         best.prediction.throughput_fps)
               : 0;
  };
  const auto good = [&](const Candidate& candidate) {
    double behind = noise_of(candidate, best, spread, findings, choice.objective);
    const double less = risk(best) - risk(candidate);
    if (less > 0) behind = margin_of(choice.objective, less);
    return !worth_switching(candidate.prediction, best.prediction, choice.objective, behind);
  };
  const auto simplest = std::min_element(
      choice.ranked.begin(), choice.ranked.begin() + choice.count,
      [&](const Candidate& a, const Candidate& b) {
        if (good(a) != good(b)) return good(a);
        if (risk(a) != risk(b)) return risk(a) < risk(b);
        const int runs_a = device_runs(a.configuration), runs_b = device_runs(b.configuration);
        if (runs_a != runs_b) return runs_a < runs_b;
        return std::tie(a.configuration.lanes, a.configuration.tasks) <
               std::tie(b.configuration.lanes, b.configuration.tasks);
      });
  std::rotate(choice.ranked.begin(), simplest, simplest + 1);
}

}  // namespace tandem
