// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_experiment.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

namespace tandem {
namespace {

using Kind = Observation::Kind;

constexpr double kLaneGain = 0.05;
// Below this a prediction is not better but lucky, however quiet the samples were.
constexpr double kLeastNoise = 0.02;
// Configurations that are tried after the experiments, at most: on 200 of 200 random chips the best
// was among the first twelve (docs/decisions/0006-coupled-mappings.md). The model errs by 2% on
// average, and seldom by more than kModelError: what promises less than that below what was
// measured is not tried.
constexpr int kMostTrials = 12;
constexpr double kModelError = 0.1;
// After them, other numbers of threads of the best mapping: how many at most, how far a coupled
// mapping may be behind the best, and between which numbers there is none worth trying.
constexpr int kMostRefinements = 6;
constexpr double kWorthRefining = 0.25;
constexpr int kSmallGap = 2;
// Near equals are looked at in turn, so that a machine that slows down does so for all of them: the
// best and those whose rate, after one look each, is at most kNearEqual less. Looks make a mean,
// and the more there are the nearer a rival has to be. As the rates of near equals are nearly that
// of the choice, looking costs the stream little.
constexpr int kMostEquals = 4, kMostLooksEach = 4;
constexpr double kMostLooksSeconds = 6;  // no look begins after that
constexpr double kNearEqual = 0.1;
constexpr double kGlance = 0.25;  // the looks that a glance or an experiment is worth

int device_runs(const Configuration& configuration) {
  const uint32_t stages = configuration.mapping.device_stages();
  return std::popcount(stages & ~(stages << 1));
}

// Of those that are as good within the noise, the one whose frames change sides least often: many
// changes make a rhythm that may break. Then the one with the fewest frames on the device, which
// answers soonest.
void put_simplest_first(Choice& choice, double noise) {
  const auto simplest = std::min_element(
      choice.ranked.begin(), choice.ranked.begin() + choice.count,
      [&](const Candidate& a, const Candidate& b) {
        const auto good = [&](const Candidate& c) {
          return !worth_switching(c.prediction, choice.best().prediction, choice.objective, noise);
        };
        if (good(a) != good(b)) return good(a);
        const int runs_a = device_runs(a.configuration), runs_b = device_runs(b.configuration);
        return runs_a != runs_b ? runs_a < runs_b : a.configuration.lanes < b.configuration.lanes;
      });
  std::rotate(choice.ranked.begin(), simplest, simplest + 1);
}

// How far objectives are apart where rates are by `rate`: some have the rate in them twice.
double margin_of(const Objective& objective, double rate) {
  const bool twice = objective.metric == Metric::efficiency || objective.metric == Metric::edp;
  return twice ? 2 * rate : rate;
}

// Whose turn it is to be looked at: the best or a near equal; null when it is clear enough which of
// them is better. What was never tried, and has nothing beside it, needs no comparison.
const Candidate* worth_a_look(const Choice& measured, std::span<const Trial> trials) {
  const auto looks = [&](const Candidate& candidate) {
    const Trial* trial = find_trial(trials, candidate.configuration);
    return trial ? static_cast<int>(trial->looks.size()) : 0;
  };
  double all_s = 0;
  for (const Trial& trial : trials) all_s += trial.looks_s;
  const Candidate *best = &measured.best(), *next = best;
  int rivals = 0;
  for (int i = 1; i < measured.count && i < kMostEquals; ++i) {
    const Candidate& rival = measured.ranked[i];
    const double seen = std::max<double>(kGlance, std::min(looks(*best), looks(rival)));
    const double near = kNearEqual / std::sqrt(seen);
    if (worth_switching(rival.prediction, best->prediction, measured.objective,
                        margin_of(measured.objective, near)))
      continue;
    ++rivals;
    if (looks(rival) < looks(*next)) next = &rival;
  }
  const int enough = rivals > 0 ? kMostLooksEach : trials.empty() ? 0 : 1;
  return all_s < kMostLooksSeconds && looks(*next) < enough ? next : nullptr;
}

// Between which numbers of threads the best of a mapping may lie, as far as they were tried: in the
// middle of the wider gap beside the best of them.
std::optional<Configuration> between_the_tried(const Choice& measured,
                                               std::span<const Trial> trials, int cores) {
  const auto coupled = std::find_if(
      measured.ranked.begin(), measured.ranked.begin() + measured.count,
      [](const Candidate& candidate) { return candidate.configuration.mapping.any_device(); });
  if (coupled == measured.ranked.begin() + measured.count ||
      worth_switching(coupled->prediction, measured.best().prediction, measured.objective,
                      kWorthRefining))
    return std::nullopt;
  Configuration between{coupled->configuration.mapping, Granularity::coarse, 0,
                        coupled->configuration.lanes};
  const auto same = [&](const Trial& trial) {
    return trial.configuration.mapping == between.mapping &&
           trial.configuration.lanes == between.lanes &&
           trial.configuration.granularity == Granularity::coarse;
  };
  const Trial* best = nullptr;
  for (const Trial& trial : trials) {
    if (same(trial) &&
        (!best || worth_switching(best->measured, trial.measured, measured.objective, 0)))
      best = &trial;
  }
  if (!best) {  // under medium grain alone
    between.threads = std::max(1, 3 * cores / 4);
    return between;
  }
  const int at = best->configuration.threads;
  int below = 0, above = cores + 2;
  for (const Trial& trial : trials) {
    const int threads = trial.configuration.threads;
    if (!same(trial)) continue;
    if (threads < at) below = std::max(below, threads);
    if (threads > at) above = std::min(above, threads);
  }
  if (std::max(at - below, above - at) <= kSmallGap) return std::nullopt;
  between.threads = (at + (at - below > above - at ? below : above)) / 2;
  return between;
}

// Twice or half of the lanes of the best with the device, where nobody tried.
std::optional<Configuration> other_lanes(const Choice& measured, std::span<const Trial> trials,
                                         int most) {
  const Configuration& best = measured.best().configuration;
  if (!best.mapping.any_device()) return std::nullopt;
  for (const int lanes : {2 * best.lanes, best.lanes / 2}) {
    Configuration other = best;
    other.lanes = lanes;
    if (lanes >= 1 && lanes <= most && !find_trial(trials, other)) return other;
  }
  return std::nullopt;
}

// The experiments that the model is made of; none when all are made.
std::optional<Plan> next_measurement(const Facts& facts, const Findings& findings) {
  const Chain& chain = facts.chain;
  const auto made = [&](const Plan& plan) {
    return std::ranges::any_of(facts.observations, [&](const Observation& seen) {
      return seen.kind == plan.kind && seen.configuration == plan.configuration;
    });
  };
  const Mapping cpu{0, chain.stages};
  for (int n = 1; n <= chain.cores + 1; ++n) {
    const Plan plan{{cpu, Granularity::coarse, n}};
    if (!made(plan)) return plan;
  }
  if (chain.device_capable != 0) {
    Configuration device{{chain.device_capable, chain.stages},
                         Granularity::coarse,
                         std::min(chain.devices, chain.cores + 1)};
    for (const Kind kind : {Kind::stages, Kind::experiment})
      if (const Plan plan{device, kind}; !made(plan)) return plan;
    double before_s = 1;  // the factor of the lanes before
    for (const int lanes : chain.lanes) {
      device.lanes = lanes;
      if (const Plan plan{device}; !made(plan)) return plan;
      const double factor = findings.measurements.lane_factors[lanes - 1].seconds;
      if (!known(factor) || factor * (1 + kLaneGain) > before_s) break;
      before_s = factor;
    }
  }
  const Plan medium{{cpu, Granularity::medium, chain.cores + 1}};
  return made(medium) ? std::nullopt : std::optional(medium);
}

}  // namespace

Next next_experiment(const Facts& facts, const Findings& findings, const Objective& objective,
                     const Allowed& allowed, const Predictor& predictor) {
  if (const auto plan = next_measurement(facts, findings)) return {plan, {}};
  const Measurements& measurements = findings.measurements;
  const std::vector<Trial>& trials = findings.trials;
  const auto best_of = [&](Which which) {
    return predictor.choose(measurements, objective, allowed, trials, which);
  };
  const auto attempt = [&](const Configuration& configuration, Kind kind) {
    return Next{Plan{configuration, kind, latency_s(measurements, configuration)}, {}};
  };
  // A source that does not keep the threads busy tells nothing about rates.
  if (findings.starved) return {{}, best_of(Which::all)};
  Choice measured = best_of(Which::measured);
  const Choice others = best_of(Which::unmeasured);
  const double margin = margin_of(others.objective, kModelError);
  const bool enough =
      others.count == 0 || std::ssize(trials) >= kMostTrials ||
      (measured.count > 0 && !worth_switching(measured.best().prediction, others.best().prediction,
                                              others.objective, -margin));
  if (!enough) return attempt(others.best().configuration, Kind::glance);
  if (measured.count == 0) return {{}, others};
  const bool refines = std::ssize(trials) < kMostTrials + kMostRefinements;
  if (const auto between = between_the_tried(measured, trials, facts.chain.cores);
      between && allowed(*between) && refines)
    return attempt(*between, Kind::glance);
  const int most_lanes = facts.chain.lanes.empty() ? 1 : facts.chain.lanes.back();
  if (const auto other = other_lanes(measured, trials, most_lanes);
      other && allowed(*other) && refines)
    return attempt(*other, Kind::glance);
  put_simplest_first(measured, kLeastNoise);
  if (const Candidate* candidate = worth_a_look(measured, trials))
    return attempt(candidate->configuration, Kind::look);
  return {{}, measured};
}

}  // namespace tandem
