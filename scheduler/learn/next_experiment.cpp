// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_experiment.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <tuple>

#include "scheduler/learn/keep_up.h"
#include "scheduler/learn/looks.h"
#include "scheduler/learn/next_lanes.h"
#include "scheduler/learn/next_letter.h"
#include "scheduler/learn/next_measurement.h"
#include "scheduler/learn/next_overlap.h"
#include "scheduler/learn/next_split.h"
#include "scheduler/learn/next_threads.h"
#include "scheduler/learn/worth.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

// Configurations that are tried after the experiments, at most: on 200 of 200 random chips the best
// was among the first twelve (docs/decisions/0006-coupled-mappings.md). Of coupled mappings the
// model errs by 2% on average, and seldom by more than kModelError: what promises less than that
// below what was measured is not tried. The rate of a decoupled one is the sum of what its sides
// did alone: no trial finds more, and it has to promise a gain. So has a mapping that ran with
// kWellKnown numbers of threads, and where frames take longer than kCheap_s. Where lanes
// fall short of what they promise a coupled one errs by kLanesError, once that is known.
constexpr int kMostTrials = 12;
constexpr double kModelError = 0.1, kLanesError = 0.03;
constexpr double kWorthATrial = 0.02;
constexpr std::size_t kWellKnown = 3;
// After them, other numbers of threads and lanes of the best mapping, at most.
constexpr int kMostRefinements = 6;
// On the CPU alone: what another number of threads has to promise.
constexpr double kWorthAnExperiment = 0.02;
// Near equals are looked at in turn, so that a machine that slows down does so for all of them: the
// best and up to three behind it. Looks make a mean and tell how far one look is from the next;
// looking ends when who is better is beyond kSure standard errors, or nobody can be better by more
// than kEqual. As the rates of near equals are nearly that of the choice, looking costs the stream
// little.
constexpr int kMostEquals = 4, kMostLooksEach = 4;
constexpr double kMostLooksSeconds = 6;  // no look begins after that
constexpr double kSure = 2, kEqual = 0.03;
constexpr double kWakingUp = 0.1;  // how far behind its rate a device may be at first
constexpr double kGlance = 0.25;   // the looks that a glance or an experiment is worth

int device_runs(const Configuration& configuration) {
  const Mapping& mapping = configuration.mapping;
  int runs = 0;
  for (int k = 0; k < mapping.stages; ++k)
    if (mapping.side(k) != Side::c && (k == 0 || mapping.side(k) != mapping.side(k - 1))) ++runs;
  return runs;
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
        if (runs_a != runs_b) return runs_a < runs_b;
        return std::tie(a.configuration.lanes, a.configuration.tasks) <
               std::tie(b.configuration.lanes, b.configuration.tasks);
      });
  std::rotate(choice.ranked.begin(), simplest, simplest + 1);
}

// What a configuration has to promise beyond the best that was measured, in rate.
double promise_of(const Configuration& configuration, std::span<const Trial> trials) {
  if (configuration.mapping.decoupled()) return kWorthATrial;
  if (lanes_fall_short(trials, configuration)) return -kLanesError;
  std::set<int> threads;
  for (const Trial& trial : trials)
    if (trial.configuration.mapping == configuration.mapping &&
        trial.configuration.granularity == Granularity::coarse)
      threads.insert(trial.configuration.threads);
  return threads.size() < kWellKnown ? -kModelError : kWorthATrial;
}

// Whether trials with at most as many threads show it: more of them may be in the way of each
// other.
bool lanes_seen_to_fall_short(const std::vector<Trial>& trials, const Configuration& other) {
  std::vector<Trial> near = trials;
  std::erase_if(near, [&](const Trial& t) { return t.configuration.threads > other.threads; });
  return lanes_fall_short(near, other);
}

// How far objectives are apart where rates are by `rate`: some have the rate in them twice.
double margin_of(const Objective& objective, double rate) {
  const bool twice = objective.metric == Metric::efficiency || objective.metric == Metric::edp;
  return twice ? 2 * rate : rate;
}

// Whose turn it is to be looked at: the best or a near equal; null when it is clear enough which of
// them is better. What was never tried, and has nothing beside it, needs no comparison, nor have
// more lanes than are expected to be enough, where these are the best.
const Candidate* worth_a_look(const Choice& measured, std::span<const Trial> trials, double spread,
                              int expected_lanes) {
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
    if (as_few_lanes(rival.configuration, {}, expected_lanes) == best->configuration) continue;
    const double seen_best = std::max<double>(kGlance, looks(*best));
    const double seen_rival = std::max<double>(kGlance, looks(rival));
    const double interval = kSure * spread * std::sqrt(1 / seen_best + 1 / seen_rival);
    if (interval < kEqual || worth_switching(rival.prediction, best->prediction, measured.objective,
                                             margin_of(measured.objective, interval - kEqual)))
      continue;
    ++rivals;
    if (looks(rival) < looks(*next)) next = &rival;
  }
  const int enough = rivals > 0 ? kMostLooksEach : trials.empty() ? 0 : 1;
  return all_s < kMostLooksSeconds && looks(*next) < enough ? next : nullptr;
}

// Lanes were measured first, while the device woke up and memory for more frames was made: the best
// and other lanes of it that were not far behind then, but were never looked at. Each once, where
// looks are cheap.
const Candidate* measured_too_early(const Choice& measured, const Facts& facts,
                                    const Measurements& measurements) {
  const Configuration& best = measured.best().configuration;
  if (facts.chain.lanes.empty() || !best.mapping.any_device() || best.mapping.any_split() ||
      latency_s(measurements, best) > kCheap_s)
    return nullptr;
  const auto looked_at = [&](const Configuration& configuration) {
    return std::ranges::any_of(facts.observations, [&](const Observation& seen) {
      return seen.kind == Kind::look && seen.configuration == configuration;
    });
  };
  for (int i = 0; i < measured.count; ++i) {
    const Candidate& candidate = measured.ranked[i];
    Configuration as_best = candidate.configuration;
    as_best.lanes = best.lanes;
    if (as_best == best && !looked_at(candidate.configuration) &&
        !worth_switching(candidate.prediction, measured.best().prediction, measured.objective,
                         margin_of(measured.objective, kWakingUp)))
      return &candidate;
  }
  return nullptr;
}

// What no experiment had and the model expects to be best, on the CPU alone: by energy, where the
// cores were measured beside a device that draws much, and several frames at a time under medium
// grain.
std::optional<Configuration> expected_on_cores(const Choice& measured, const Choice& all,
                                               std::span<const Trial> trials) {
  const Configuration& best = all.best().configuration;
  const bool open = needs_energy(measured.objective) || best.frames_at_once > 1;
  if (all.count == 0 || !open || best.mapping.any_device() || find_trial(trials, best) ||
      !worth_switching(measured.best().prediction, all.best().prediction, measured.objective,
                       margin_of(measured.objective, kWorthAnExperiment)))
    return std::nullopt;
  return best;
}

Next find_next(const Facts& facts, const Findings& findings, const Objective& objective,
               const Allowed& allowed, const Predictor& predictor, const LanePrior& prior) {
  if (const auto plan = next_measurement(facts, findings, objective, allowed, prior))
    return {plan, {}};
  if (const auto plan = next_split(facts, findings, objective, allowed, predictor))
    return {plan, {}};
  if (const auto plan = next_letter(facts, findings, objective, allowed)) return {plan, {}};
  const Measurements& measurements = findings.measurements;
  const std::vector<Trial>& trials = findings.trials;
  const auto best_of = [&](Which which) {
    return predictor.choose(measurements, objective, allowed, trials, which);
  };
  double best_fps = 0;
  for (const Trial& trial : trials) best_fps = std::max(best_fps, trial.measured.throughput_fps);
  const auto attempt = [&](const Configuration& configuration, Kind kind) {
    const bool meters = kind == Kind::look;
    // What answers soonest or draws least may be as slow as it likes.
    const bool may_be_slow =
        objective.metric == Metric::latency || (meters && needs_energy(objective));
    const double slow_fps = may_be_slow ? 0 : kTooSlow * best_fps;
    return Next{Plan{configuration, kind, latency_s(measurements, configuration), slow_fps, meters},
                {}};
  };
  // A source that does not keep the threads busy tells nothing about rates.
  if (findings.starved) return {{}, best_of(Which::all)};
  Choice measured = best_of(Which::measured);
  const auto promises = [&](const Candidate& candidate) {
    const bool cheap = latency_s(measurements, candidate.configuration) < kCheap_s;
    const double promise = cheap ? promise_of(candidate.configuration, trials) : kWorthATrial;
    const double margin = margin_of(measured.objective, promise);
    return measured.count == 0 || worth_switching(measured.best().prediction, candidate.prediction,
                                                  measured.objective, margin);
  };
  const Candidate* most = nullptr;
  const Choice others[] = {best_of(Which::coupled), best_of(Which::decoupled)};
  for (const Choice& choice : others) {
    if (choice.count == 0 || !promises(choice.best())) continue;
    if (!most || worth_switching(most->prediction, choice.best().prediction, choice.objective, 0))
      most = &choice.best();
  }
  const int glances = tandem::glances(facts.observations);
  // What a coupled one may do beyond what is expected of it.
  const auto worth = [&](const Candidate& candidate, double more) {
    const double gain = candidate.prediction.throughput_fps / best_fps - 1 + more;
    return worth_a_trial(gain, facts, objective);
  };
  if (most && glances < kMostTrials &&
      worth(*most, most->configuration.mapping.decoupled() ? 0 : kModelError))
    return attempt(most->configuration, Kind::glance);
  if (measured.count == 0) return {{}, others[0].count > 0 ? others[0] : others[1]};
  if (const auto letters = promising_letters(facts, findings, measured, allowed))
    return attempt(*letters, Kind::glance);
  const auto as_expected = [&](const Configuration& configuration) {
    return promises({configuration, predictor.predict(measurements, configuration)});
  };
  const auto refines = [&](const std::optional<Configuration>& other) {
    return other && allowed(*other) && glances < kMostTrials + kMostRefinements;
  };
  if (const auto fewer = before_the_collapse(trials, as_expected); refines(fewer))
    return attempt(*fewer, Kind::glance);
  const int expected_lanes = prior.best_of(facts.chain.lanes);
  const auto fewer = as_few_lanes(measured.best().configuration, trials, expected_lanes);
  if (refines(fewer)) return attempt(*fewer, Kind::glance);
  const int most_lanes = facts.chain.lanes.empty() ? 1 : facts.chain.lanes.back();
  for (const auto& other : {between_the_tried(measured, trials, facts.chain.cores),
                            more_on_cores(measured, measurements, trials, kWorthAnExperiment),
                            expected_on_cores(measured, best_of(Which::all), trials),
                            other_lanes(measured, trials, most_lanes)}) {
    if (!refines(other)) continue;
    const Prediction expected = corrected(trials, *other, predictor.predict(measurements, *other));
    const bool cheap = latency_s(measurements, *other) < kCheap_s;
    const bool may_surprise =
        cheap && !other->mapping.decoupled() && !lanes_seen_to_fall_short(trials, *other);
    if ((may_surprise || promises({*other, expected})) &&
        worth_a_trial(kModelError, facts, objective))
      return attempt(*other, Kind::glance);
  }
  if (const auto unproven = unproven_lanes(measured, trials, facts, prior);
      refines(unproven) &&
      !worth_switching(predictor.predict(measurements, *unproven), measured.best().prediction,
                       measured.objective, margin_of(measured.objective, kModelError)))
    return attempt(*unproven, Kind::glance);
  if (const auto bands = other_tasks(measured, trials, facts.chain, prior); refines(bands))
    return attempt(*bands, Kind::glance);
  if (const auto whole = whole_beside_split(findings, measured, allowed, predictor))
    return attempt(*whole, Kind::look);
  put_simplest_first(measured, kLeastNoise);
  if (const Candidate* candidate = measured_too_early(measured, facts, measurements))
    return attempt(candidate->configuration, Kind::look);
  if (const Candidate* candidate =
          worth_a_look(measured, trials, spread_of_looks(facts.observations), expected_lanes))
    return attempt(candidate->configuration, Kind::look);
  return {{}, measured};
}

}  // namespace

Next next_experiment(const Facts& facts, const Findings& findings, const Objective& objective,
                     const Allowed& allowed, const Predictor& predictor, const LanePrior& prior) {
  Next next = keep_up(find_next(facts, findings, objective, allowed, predictor, prior), facts,
                      findings, objective);
  if (next.plan) next.plan = as_in_service(*next.plan, facts.chain, objective);
  return next;
}

}  // namespace tandem
