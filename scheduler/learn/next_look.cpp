// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_look.h"

#include <algorithm>
#include <cmath>

#include "scheduler/learn/interpret.h"
#include "scheduler/learn/keep_up.h"
#include "scheduler/learn/looks.h"
#include "scheduler/learn/next_experiment.h"
#include "scheduler/learn/next_lanes.h"
#include "scheduler/learn/worth.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

// The best and up to three behind it, until what the choice is expected to lose is below kLoss, or
// kDearLoss where frames take longer than kCheap_s, and no look begins after so many seconds of
// them.
constexpr int kMostEquals = 4, kMostLooksEach = 4;
constexpr double kLoss = 0.006, kDearLoss = 0.02, kMostLooksSeconds = 4;
constexpr double kGlance = 0.25;  // the looks that a glance or an experiment is worth
// Where conditions are to be met, who is better is clear beyond kSure standard errors, or if nobody
// can be by more than kEqual.
constexpr double kSure = 2, kEqual = 0.03;
constexpr double kWakingUp = 0.1;  // how far behind its rate a device may be at first

// By what they say of what matters.
double looks(const Candidate& candidate, std::span<const Trial> trials,
             const Objective& objective) {
  const Trial* trial = find_trial(trials, candidate.configuration);
  double sum = 0;
  for (std::size_t i = 0; trial && i < trial->looks.size(); ++i)
    if (!needs_energy(objective) || known(trial->looks[i].energy_j)) sum += trial->weights[i];
  return sum;
}

// Whether the rival may be so much better that it has to be found out. `error`: of their ratio.
bool may_be_better(const Candidate& rival, const Candidate& best, const Objective& objective,
                   double error, double loss) {
  const double lead = lead_of(rival.prediction, best.prediction, objective);
  if (known(lead)) return mean_above_0(lead, error) > loss;
  const double interval = kSure * error;
  return interval >= kEqual && !worth_switching(rival.prediction, best.prediction, objective,
                                                margin_of(objective, interval - kEqual));
}

}  // namespace

const Candidate* worth_a_look(const Choice& measured, const Findings& findings, const Facts& facts,
                              double spread, int expected_lanes) {
  const std::vector<Trial>& trials = findings.trials;
  const auto seen = [&](const Candidate& candidate) {
    return looks(candidate, trials, measured.objective);
  };
  const auto looked_at = [&](const Candidate& candidate) {
    return needs_energy(measured.objective)
               ? seen(candidate) > 0
               : std::ranges::any_of(facts.observations, [&](const Observation& one) {
                   return one.configuration == candidate.configuration && tells_at_length(one);
                 });
  };
  double all_s = 0;
  for (const Trial& trial : trials) all_s += trial.looks_s;
  const Candidate *best = &measured.best(), *next = best;
  const bool dear = latency_s(findings.measurements, best->configuration) > kCheap_s;
  int rivals = 0;
  for (int i = 1; i < measured.count && i < kMostEquals; ++i) {
    const Candidate& rival = measured.ranked[i];
    if (as_few_lanes(rival.configuration, {}, expected_lanes) == best->configuration) continue;
    const double error =
        spread * std::sqrt(1 / std::max(kGlance, seen(*best)) + 1 / std::max(kGlance, seen(rival)));
    if (!may_be_better(rival, *best, measured.objective, error, dear ? kDearLoss : kLoss)) continue;
    ++rivals;
    if (seen(rival) < seen(*next)) next = &rival;
  }
  if (rivals == 0) return trials.empty() || looked_at(*best) ? nullptr : best;
  return all_s < kMostLooksSeconds && seen(*next) < kMostLooksEach ? next : nullptr;
}

const Candidate* measured_too_early(const Choice& measured, const Facts& facts,
                                    const Measurements& measurements) {
  const Configuration& best = measured.best().configuration;
  if (facts.chain.lanes.empty() || !best.mapping.any_device() || best.mapping.any_split() ||
      latency_s(measurements, best) > kCheap_s)
    return nullptr;
  const std::vector<Observation>& observations = facts.observations;
  const auto ran_since = [&](const Configuration& configuration) {
    for (std::size_t i = 0; i < observations.size(); ++i)
      if (observations[i].configuration == configuration &&
          (observations[i].kind == Kind::look ||
           (is_new_glance(observations, i) && tells_as_a_look(observations[i]))))
        return true;
    return false;
  };
  for (int i = 0; i < measured.count; ++i) {
    const Candidate& candidate = measured.ranked[i];
    Configuration as_best = candidate.configuration;
    as_best.lanes = best.lanes;
    if (as_best == best && !ran_since(candidate.configuration) &&
        !worth_switching(candidate.prediction, measured.best().prediction, measured.objective,
                         margin_of(measured.objective, kWakingUp)))
      return &candidate;
  }
  return nullptr;
}

}  // namespace tandem
