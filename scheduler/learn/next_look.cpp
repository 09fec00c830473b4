// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_look.h"

#include <algorithm>

#include "scheduler/learn/interpret.h"
#include "scheduler/learn/keep_up.h"
#include "scheduler/learn/looks.h"
#include "scheduler/learn/next_experiment.h"
#include "scheduler/learn/next_lanes.h"
#include "scheduler/learn/next_threads.h"
#include "scheduler/learn/simplest.h"
#include "scheduler/learn/worth.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

// The best and up to three behind it, until what the choice is expected to lose is below kLoss, or
// kDearLoss where frames take longer than kCheap_s, and kMorePerLook of that more with each look:
// the more of them, the less they change. No look begins after so many seconds of them, or beyond
// eight cores after so many glances.
constexpr int kMostEquals = 4, kMostLooksEach = 4;
constexpr double kLoss = 0.006, kLossOfSomeCores = 0.003, kDearLoss = 0.02;
constexpr double kHardlyMore = 0.25;  // looks
constexpr double kMorePerLook = 0.1, kMostLooksSeconds = 4, kMostOfManyCores = 10;
// Of near equals that differ in lanes alone.
constexpr double kMostLooksOfLanes = 1.5;
// Where conditions are to be met, who is better is clear beyond kSure standard errors, or if nobody
// can be by more than kEqual.
constexpr double kSure = 2, kEqual = 0.03;
constexpr double kWakingUp = 0.1;  // how far behind its rate a device may be at first
// Cores are slowed that do less than this part of what they would if each did as one alone. They
// are looked at again after kTrialsBeforeALook trials, at most kMostLooksAtSlowed times.
constexpr double kSlowed = 0.75;
constexpr int kTrialsBeforeALook = 2, kMostLooksAtSlowed = 2;
// A trial that reached less than this part of what was expected is run again where that is so much
// more than the best does.
constexpr double kFarShort = 0.75, kWorthAnother = 0.1;

/// Whom it is worth to compare with the best.
class Rivals {
 public:
  Rivals(const Choice& measured, const Findings& findings, const Facts& facts)
      : measured_(measured),
        best_(measured.best()),
        findings_(findings),
        facts_(facts),
        spread_(spread_of_looks(facts.observations)) {}

  double looks(const Candidate& candidate) const {
    return looks_at(candidate.configuration, findings_, measured_.objective);
  }

  /// Whose turn it is: whoever was looked at least, and hardly the same as a moment ago.
  bool comes_before(const Candidate& a, const Candidate& b) const {
    const auto so_far = [&](const Candidate& candidate) {
      const bool again = candidate.configuration == facts_.observations.back().configuration;
      return looks(candidate) + (again ? kHardlyMore : 0);
    };
    return so_far(a) < so_far(b);
  }

  /// Whether the rival may be so much better that it has to be found out.
  bool may_be_better(const Candidate& rival) const {
    const double error = error_of_lead(rival.configuration, best_.configuration, spread_, findings_,
                                       measured_.objective);
    const double lead = lead_of(rival.prediction, best_.prediction, measured_.objective);
    const double looks_at_both = std::max(0.0, looks(rival) + looks(best_) - 2);
    if (known(lead))
      return mean_above_0(lead - risk(rival), error) > loss() * (1 + looks_at_both * kMorePerLook);
    const double interval = kSure * error;
    return interval >= kEqual &&
           !worth_switching(rival.prediction, best_.prediction, measured_.objective,
                            margin_of(measured_.objective, interval - kEqual));
  }

  /// Whether they were looked at as often as near equals are that do the same in other lanes.
  bool known_by_lanes(const Candidate& rival) const {
    return differ_in_lanes_alone(rival.configuration, best_.configuration) &&
           std::min(looks(rival), looks(best_)) >= kMostLooksOfLanes;
  }

 private:
  double loss() const {
    if (latency_s(findings_.measurements, best_.configuration) > kCheap_s) return kDearLoss;
    const bool least =
        facts_.chain.cores <= kSomeCores && !is_made_of_cores(findings_.measurements);
    return impatience(facts_) * (least ? kLossOfSomeCores : kLoss);
  }

  // How much further ahead it has to be than the best.
  double risk(const Candidate& rival) const {
    if (!is_led_by_rate(measured_.objective)) return 0;
    const auto of = [&](const Candidate& candidate) {
      return risk_of(candidate.configuration, findings_.measurements,
                     best_.prediction.throughput_fps);
    };
    return of(rival) - of(best_);
  }

  const Choice& measured_;
  const Candidate& best_;
  const Findings& findings_;
  const Facts& facts_;
  const double spread_;  // of looks
};

}  // namespace

const Candidate* worth_a_look(const Choice& measured, const Findings& findings, const Facts& facts,
                              int expected_lanes) {
  const Rivals all(measured, findings, facts);
  const auto looked_at = [&](const Candidate& candidate) {
    return needs_energy(measured.objective)
               ? all.looks(candidate) > 0
               : std::ranges::any_of(facts.observations, [&](const Observation& one) {
                   return one.configuration == candidate.configuration && tells_at_length(one);
                 });
  };
  double all_s = 0;
  for (const Observation& seen : facts.observations)
    if (seen.kind == Kind::look) all_s += seen.lasted_s;
  const bool enough = all_s >= kMostLooksSeconds ||
                      (facts.chain.cores > kSomeCores && tried(facts) >= kMostOfManyCores);
  const Candidate *best = &measured.best(), *next = best;
  int rivals = 0;
  for (int i = 1; i < measured.count && i < kMostEquals; ++i) {
    const Candidate& rival = measured.ranked[i];
    if (as_few_lanes(rival.configuration, {}, expected_lanes) == best->configuration) continue;
    if (all.known_by_lanes(rival) || !all.may_be_better(rival)) continue;
    ++rivals;
    if (all.comes_before(rival, *next)) next = &rival;
  }
  const auto is_known = [&](const Candidate& candidate) {
    const Trial* trial = find_trial(findings.trials, candidate.configuration);
    const bool doubtful =
        trial && is_led_by_rate(measured.objective) && contradict_each_other(trial->looks);
    return looked_at(candidate) && (!doubtful || all_s >= kMostLooksSeconds);
  };
  if (rivals == 0 || enough) return findings.trials.empty() || is_known(*best) ? nullptr : best;
  return all.looks(*next) < kMostLooksEach ? next : nullptr;
}

std::optional<Configuration> slowed_cores(const Choice& measured, const Findings& findings,
                                          const Facts& facts, bool is_last) {
  const Measurements& m = findings.measurements;
  const std::size_t all = static_cast<std::size_t>(m.cores) - 1;
  if (m.cores == 1 || m.cores > kSomeCores || m.cg_interpolated[0] || m.cg_interpolated[all] ||
      measured.count == 0 || !is_of_rate_alone(measured.objective) ||
      !measured.best().configuration.mapping.any_device())
    return std::nullopt;
  const Configuration cores{{0, static_cast<int>(m.stages.size())}, Granularity::coarse, m.cores};
  const Trial* trial = find_trial(findings.trials, cores);
  const double seen_fps = trial ? trial->measured.throughput_fps : 1 / m.cg[all].seconds;
  const double alone_fps = m.cores / m.cg[0].seconds;
  const std::span<const Observation> seen = facts.observations;
  const auto is_look = [&](const Observation& one) {
    return one.configuration == cores && tells_at_length(one);
  };
  std::size_t since = seen.size();  // the last look at them
  while (since > 0 && !is_look(seen[since - 1])) --since;
  const auto looks = std::ranges::count_if(seen, is_look);
  const bool slowed =
      seen_fps < kSlowed * alone_fps && measured.best().prediction.throughput_fps < alone_fps;
  const int trials = glances(seen) - glances(seen.first(since));
  const bool is_time =
      is_last ? looks == 0 : looks < kMostLooksAtSlowed && trials >= kTrialsBeforeALook;
  return slowed && is_time ? std::optional(cores) : std::nullopt;
}

std::optional<Configuration> second_chance(const Choice& measured, const Findings& findings,
                                           const Facts& facts) {
  if (!is_of_rate_alone(measured.objective)) return std::nullopt;
  const Trial* lone = nullptr;
  for (const Trial& trial : findings.trials) {
    if (trial.configuration.granularity != Granularity::coarse ||
        !(trial.measured.throughput_fps < kFarShort * trial.predicted.throughput_fps))
      continue;
    if (lone) return std::nullopt;
    lone = &trial;
  }
  if (!lone || !worth_switching(measured.best().prediction, lone->predicted, measured.objective,
                                margin_of(measured.objective, kWorthAnother)))
    return std::nullopt;
  const bool again = std::ranges::any_of(facts.observations, [&](const Observation& seen) {
    return seen.kind == Kind::look && seen.configuration == lone->configuration;
  });
  return again ? std::nullopt : std::optional(lone->configuration);
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
          (observations[i].kind == Kind::look || is_new_glance(observations, i)))
        return true;
    return false;
  };
  for (int i = 0; i < measured.count; ++i) {
    const Candidate& candidate = measured.ranked[i];
    if (differ_in_lanes_alone(candidate.configuration, best) &&
        !ran_since(candidate.configuration) &&
        !worth_switching(candidate.prediction, measured.best().prediction, measured.objective,
                         margin_of(measured.objective, kWakingUp)))
      return &candidate;
  }
  return nullptr;
}

}  // namespace tandem
