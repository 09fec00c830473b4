// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/promises.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>
#include <span>

#include "scheduler/learn/keep_up.h"
#include "scheduler/learn/next_threads.h"
#include "scheduler/learn/worth.h"

namespace tandem {
namespace {

// What the model errs before trials say so, and how many of them that counts as: for how far they
// are off on average, and for how far they are from that.
constexpr double kCoupledError = 0.1, kDecoupledError = 0.05, kTrials = 0.5, kSpreadTrials = 2;
// How much a trial tells of another mapping, granularity or number of lanes, and of how many more
// or fewer threads, as a part of the cores, it tells a third. With many cores threads fall short
// that take the cores from a device's driver, whichever stages it has.
constexpr double kOtherMapping = 0.1, kOtherOfManyCores = 0.3, kOtherOfOneSide = 0.5,
                 kOtherGranularity = 0.3, kOtherLanes = 0.7, kThreads = 0.25;
// A trial that misses by more has met something else, such as threads that get in the driver's way:
// with fewer of them all may be as expected.
constexpr double kCollapse = 0.3;
// The least part of the spread that is no noise.
constexpr double kLeastPart = 0.3;
// What a coupled mapping errs by where its lanes fall short, and the numbers of threads that tell
// enough of one.
constexpr double kLanesError = 0.03;
constexpr std::size_t kWellKnown = 3;

// The first time that it ran.
std::size_t first_of(std::span<const Observation> observations, const Configuration& wanted) {
  const auto found = std::ranges::find_if(observations, [&](const Observation& seen) {
    return seen.kind != Observation::Kind::stages && seen.configuration == wanted;
  });
  return static_cast<std::size_t>(found - observations.begin());
}

}  // namespace

double promise_of(const Configuration& configuration, std::span<const Trial> trials,
                  double worth_a_trial, double model_error) {
  if (configuration.mapping.decoupled()) return worth_a_trial;
  if (lanes_fall_short(trials, configuration)) return -kLanesError;
  std::set<int> threads;
  for (const Trial& trial : trials)
    if (trial.configuration.mapping == configuration.mapping &&
        trial.configuration.granularity == Granularity::coarse)
      threads.insert(trial.configuration.threads);
  return threads.size() < kWellKnown ? -model_error : worth_a_trial;
}

Promises::Promises(const Facts& facts, const Findings& findings, const Objective& objective,
                   double noise)
    : objective_(objective),
      cores_(facts.chain.cores),
      coupled_error_(is_made_of_cores(findings.measurements) ? kOneSideError : kCoupledError),
      other_mapping_(is_made_of_cores(findings.measurements) ? kOtherOfOneSide
                     : cores_ > kSomeCores                   ? kOtherOfManyCores
                                                             : kOtherMapping),
      noise_(noise) {
  const std::vector<Observation>& observations = facts.observations;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    if (!is_new_glance(observations, i)) continue;
    const Trial* trial = find_trial(findings.trials, observations[i].configuration);
    if (!trial) continue;
    std::vector<Trial> before;
    for (const Trial& other : findings.trials)
      if (first_of(observations, other.configuration) < i) before.push_back(other);
    const Prediction expected = corrected(before, trial->configuration, trial->predicted);
    const double by = lead_of(trial->measured, expected, objective_);
    if (std::isfinite(by)) missed_.push_back({trial->configuration, std::max(by, -kCollapse)});
  }
}

double Promises::alike(const Configuration& a, const Configuration& b) const {
  double alike = 1;
  if (!(a.mapping == b.mapping)) alike *= other_mapping_;
  if (a.granularity != b.granularity) alike *= kOtherGranularity;
  if (a.lanes != b.lanes) alike *= kOtherLanes;
  return alike * std::exp(-std::abs(a.threads - b.threads) / (kThreads * cores_));
}

// `trials`: how many trials that did as expected are assumed beforehand.
Promises::Mean Promises::mean_missed(const Configuration& configuration, double trials) const {
  double sum = 0;
  for (const Missed& missed : missed_) {
    const double weight = alike(missed.configuration, configuration);
    trials += weight;
    sum += weight * missed.by;
  }
  return {sum == 0 ? 0 : sum / trials, trials};
}

double Promises::falls_short(const Configuration& configuration, bool at_length) const {
  return std::exp(std::max(0.0, -mean_missed(configuration, at_length ? 0 : kTrials).by));
}

double Promises::expected_gain(const Candidate& candidate, const Prediction& best,
                               double least_spread) const {
  const double promise = lead_of(candidate.prediction, best, objective_);
  if (!std::isfinite(promise)) return std::numeric_limits<double>::infinity();
  const bool decoupled = candidate.configuration.mapping.decoupled();
  const auto [mean, trials] = mean_missed(candidate.configuration, kTrials);
  const double error = decoupled ? kDecoupledError : coupled_error_;
  double squares = kSpreadTrials * (error * error) + kTrials * mean * mean;
  for (const Missed& missed : missed_)
    squares += alike(missed.configuration, candidate.configuration) * (missed.by - mean) *
               (missed.by - mean);
  const double variance = squares / (trials - kTrials + kSpreadTrials);
  double spread =
      std::sqrt(std::max(variance - noise_ * noise_, kLeastPart * kLeastPart * variance));
  spread = std::max(spread, least_spread);
  const double gain = mean_above_0(mean + promise, spread);
  return decoupled ? gain - mean_above_0(mean - kMostSurprise, spread) : gain;
}

}  // namespace tandem
