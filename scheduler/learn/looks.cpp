// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/looks.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

namespace tandem {
namespace {

constexpr int kLookFrames = 200;
constexpr double kLook_s = 0.5;
constexpr double kDrifts_s = 0.25;  // rates are others after such a time
constexpr double kHalves_s = 0.5;   // what a look says of the rate that lasts
// The spread that is expected before there are looks, and the pairs of looks that it counts as.
constexpr double kSpread = 0.02, kSpreadPairs = 2;
constexpr double kMostApart = 0.1;  // two looks, in the spread
constexpr double kGlance = 0.25;    // the looks that a glance or an experiment is worth

}  // namespace

double weight_of(const Observation& seen) {
  const double counted_s = seen.frames * seen.frame_s;
  return 2 * counted_s / (counted_s + kDrifts_s);
}

void add_look(Trial& trial, const Observation& seen, double ended_s) {
  trial.looks.push_back(trial.measured);
  trial.weights.push_back(weight_of(seen));
  trial.ended_s.push_back(ended_s);
  std::vector<double> now = trial.weights;
  for (std::size_t i = 0; i < now.size(); ++i)
    now[i] *= std::exp2((trial.ended_s[i] - ended_s) / kHalves_s);
  trial.measured = mean_of_looks(trial.looks, now);
}

bool tells_at_length(const Observation& seen) {
  return seen.kind == Observation::Kind::look ||
         (is_trial(seen.kind) && seen.frames * seen.frame_s >= kLook_s);
}

bool tells_as_a_look(const Observation& seen) {
  return tells_at_length(seen) || seen.frames >= kLookFrames;
}

double spread_of_looks(std::span<const Observation> observations) {
  std::map<std::string, double> before;
  double sum = kSpreadPairs * kSpread * kSpread, pairs = kSpreadPairs;
  for (const Observation& seen : observations) {
    if (!is_trial(seen.kind) || !tells_as_a_look(seen)) continue;
    const double rate = std::log(1 / seen.frame_s);
    const auto [last, first] = before.try_emplace(to_string(seen.configuration), rate);
    if (first) continue;
    const double apart = std::min(kMostApart, std::abs(rate - last->second));
    sum += apart * apart / 2;
    pairs += 1;
    last->second = rate;
  }
  return std::sqrt(sum / pairs);
}

double looks_at(const Configuration& configuration, const Findings& findings,
                const Objective& objective) {
  const Trial* trial = find_trial(findings.trials, configuration);
  double sum = 0;
  for (std::size_t i = 0; trial && i < trial->looks.size(); ++i)
    if (!needs_energy(objective) || known(trial->looks[i].energy_j)) sum += trial->weights[i];
  return sum;
}

double error_of_lead(const Configuration& a, const Configuration& b, double spread,
                     const Findings& findings, const Objective& objective) {
  const auto variance = [&](const Configuration& configuration) {
    return 1 / std::max(kGlance, looks_at(configuration, findings, objective));
  };
  return spread * std::sqrt(variance(a) + variance(b));
}

}  // namespace tandem
