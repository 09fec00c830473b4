// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/derive.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "model/split.h"
#include "scheduler/learn/next_lanes.h"
#include "scheduler/learn/next_threads.h"
#include "scheduler/learn/promises.h"
#include "scheduler/learn/simplest.h"
#include "scheduler/learn/worth.h"

namespace tandem {
namespace {

struct Exponents {
  double least, most;
};
constexpr Exponents kOnCpu{0.8, 1.2}, kOnDevice{0, 1.2};
// What cores beside a device have to add where nobody saw them at this size.
constexpr double kWorthTheCores = 0.1;
// What one lane has to be ahead of several where nobody saw them at this size.
constexpr double kWorthOneLane = 0.25;

double pixels(const Conditions& conditions) {
  return static_cast<double>(conditions.width) * conditions.height;
}

bool differ_in_size_alone(Conditions a, const Conditions& b) {
  a.width = b.width;
  a.height = b.height;
  return a == b;
}

void multiply(Cost& cost, double by) {
  for (double* value : {&cost.seconds, &cost.joules.c, &cost.joules.g, &cost.joules.u})
    *value *= by;
}

/// What times at one size are at another one.
class Scale {
 public:
  /// The sizes in pixels: the wanted one, the nearest, and the second nearest or 0.
  Scale(double wanted, double nearest, double second)
      : way_(std::log(wanted / nearest)), between_(second > 0 ? std::log(second / nearest) : 0) {}

  /// By how much the time at the nearest size, and at the second, is multiplied.
  double factor(double nearest_s, double second_s, Exponents bounds) const {
    double exponent = 1;
    if (between_ != 0 && nearest_s > 0 && second_s > 0)
      exponent = std::clamp(std::log(second_s / nearest_s) / between_, bounds.least, bounds.most);
    return std::exp(exponent * way_);
  }

  void apply(Cost& nearest, const Cost& second, Exponents bounds) const {
    const double by = factor(nearest.seconds, second.seconds, bounds);
    multiply(nearest, by);
  }

 private:
  double way_, between_;
};

void scale(Measurements& m, const Measurements& second, const Scale& by) {
  for (std::size_t k = 0; k < m.stages.size(); ++k) {
    StageMeasurements& stage = m.stages[k];
    const StageMeasurements& other = second.stages[k];
    by.apply(stage.cg, other.cg, kOnCpu);
    by.apply(stage.mg, other.mg, kOnCpu);
    by.apply(stage.device, other.device, kOnDevice);
    by.apply(stage.upload, other.upload, kOnDevice);
    by.apply(stage.download, other.download, kOnDevice);
  }
  Split& split = m.split;
  split.cores.rows_s *= by.factor(split.cores.rows_s, second.split.cores.rows_s, kOnCpu);
  split.device.rows_s *= by.factor(split.device.rows_s, second.split.device.rows_s, kOnDevice);
  split.joins_s *= by.factor(split.joins_s, second.split.joins_s, kOnDevice);
  split.cpu_share = share_to_run(split);
  // All numbers of threads alike, so that how they get in each other's way stays as it is.
  const double threads = by.factor(m.cg[0].seconds, second.cg[0].seconds, kOnCpu);
  for (Cost& cost : m.cg) multiply(cost, threads);
}

// Configurations that differ from a tried one in lanes alone err as it does: a training tries few
// of them.
void with_other_lanes(std::vector<Trial>& trials, const Measurements& measurements,
                      const std::vector<int>& lanes, const Predictor& predictor) {
  const std::size_t tried = trials.size();
  for (std::size_t i = 0; i < tried; ++i) {
    const Configuration& configuration = trials[i].configuration;
    if (configuration.lanes == 1 || configuration.mapping.decoupled()) continue;
    for (const int other : lanes) {
      Trial one = trials[i];
      one.configuration.lanes = other;
      if (find_trial(trials, one.configuration)) continue;
      one.predicted = predictor.predict(measurements, one.configuration);
      one.measured = one.predicted;
      one.ran = false;
      const double error = trials[i].measured.throughput_fps / trials[i].predicted.throughput_fps;
      one.measured.throughput_fps *= std::min(1.0, error);
      if (known(one.measured.throughput_fps)) trials.push_back(one);
    }
  }
}

// A decoupled mapping does what its sides do: cores beside the device did more than was expected by
// chance, unless the device alone with as many lanes did so too.
std::vector<Trial> without_luck(std::vector<Trial> trials, int devices) {
  const std::vector<Trial> lucky = trials;
  for (Trial& trial : trials) {
    const Configuration alone = device_alone(trial.configuration, devices);
    if (!alone.mapping.any_device() || !alone.mapping.decoupled() || trial.configuration == alone)
      continue;
    const Trial* without = find_trial(lucky, alone);
    const double error =
        without ? without->measured.throughput_fps / without->predicted.throughput_fps : 1;
    trial.measured.throughput_fps =
        std::min(trial.measured.throughput_fps,
                 (1 + kMostSurprise) * std::max(1.0, error) * trial.predicted.throughput_fps);
  }
  return trials;
}

// Trials that err as those of which it was derived did.
std::vector<Trial> as_tried(const std::vector<Trial>& trials, const Measurements& measurements,
                            const Predictor& predictor) {
  std::vector<Trial> derived;
  for (const Trial& trial : trials) {
    Trial one{trial.configuration, predictor.predict(measurements, trial.configuration), {}};
    one.measured = one.predicted;
    one.measured.throughput_fps *= trial.measured.throughput_fps / trial.predicted.throughput_fps;
    one.measured.latency_s *= trial.measured.latency_s / trial.predicted.latency_s;
    const double joules = trial.measured.energy_j / trial.predicted.energy_j;
    if (known(joules)) one.measured.energy_j *= joules;
    one.measured.power_w = one.measured.energy_j * one.measured.throughput_fps;
    if (known(one.measured.throughput_fps)) derived.push_back(one);
  }
  return derived;
}

// Threads beside a device that nobody tried: what they take from its driver is not predicted, so
// the ranking puts the most overrated number first.
bool is_overrated(const Configuration& configuration, const Findings& findings) {
  return configuration.granularity == Granularity::coarse && configuration.mapping.any_device() &&
         configuration.threads > findings.measurements.devices &&
         !find_trial(findings.trials, configuration);
}

// Makes it the best of the choice.
void put_first(const Candidate& candidate, Choice& choice) {
  const auto end = choice.ranked.begin() + choice.count;
  auto at = std::find_if(choice.ranked.begin(), end, [&](const Candidate& other) {
    return other.configuration == candidate.configuration;
  });
  if (at == end) *--at = candidate;  // the last is the least of them
  std::rotate(choice.ranked.begin(), at, at + 1);
}

// The same mapping without cores that compute frames of their own.
Choice of_device_alone(const Choice& choice, const Findings& findings, Constraints allowed,
                       const Predictor& predictor, Which which) {
  allowed.mapping = choice.best().configuration.mapping;
  allowed.threads = findings.measurements.devices;
  return predictor.choose(findings.measurements, choice.objective, allowed, findings.trials, which);
}

// The device without the cores that add little to it: what they cost is seldom the same at another
// size.
void leave_out_little_cores(Choice& choice, const Learnt& derived, const Constraints& allowed,
                            const Predictor& predictor) {
  const Objective& objective = choice.objective;
  const Configuration& chosen = choice.best().configuration;
  if (derived.facts.chain.cores <= kSomeCores || !is_led_by_rate(objective) || allowed.threads ||
      !chosen.mapping.any_device() || chosen.mapping.any_split() ||
      (chosen.granularity == Granularity::coarse &&
       chosen.threads <= derived.findings.measurements.devices))
    return;
  const Choice without = of_device_alone(choice, derived.findings, allowed, predictor, Which::all);
  if (without.count == 0 || worth_switching(without.best().prediction, choice.best().prediction,
                                            objective, margin_of(objective, kWorthTheCores)))
    return;
  put_first(without.best(), choice);
}

// Prefers more lanes of the device alone, if they ran and are expected to do as much. Too many
// lanes cost little. Too few cost up to a fifth of the rate, and one lane up to two fifths, where
// lanes gain more than at the next size.
void take_more_lanes(Choice& choice, const Learnt& derived, const Constraints& allowed,
                     const Predictor& predictor) {
  const Candidate chosen = choice.best();
  if (!is_led_by_rate(choice.objective) || !chosen.configuration.mapping.any_device() ||
      chosen.configuration.mapping.any_split() ||
      chosen.configuration.granularity != Granularity::coarse ||
      chosen.configuration.threads > derived.findings.measurements.devices)
    return;
  const Choice alone =
      of_device_alone(choice, derived.findings, allowed, predictor, Which::measured);
  const auto as_good = [&](const Candidate& candidate, const Candidate& than, double margin) {
    return differ_in_lanes_alone(candidate.configuration, chosen.configuration) &&
           candidate.configuration.lanes > than.configuration.lanes &&
           find_trial(derived.findings.trials, candidate.configuration)->ran &&
           !worth_switching(candidate.prediction, than.prediction, choice.objective,
                            margin_of(choice.objective, margin));
  };
  const auto best_first = std::span(alone.ranked).first(static_cast<std::size_t>(alone.count));
  const Candidate* several = &chosen;
  if (chosen.configuration.lanes == 1) {
    const auto found = std::ranges::find_if(best_first, [&](const Candidate& candidate) {
      return as_good(candidate, chosen, kWorthOneLane);
    });
    if (found == best_first.end()) return;
    several = &*found;
  }
  const Candidate* most = several;
  for (const Candidate& candidate : best_first)
    if (candidate.configuration.lanes > most->configuration.lanes &&
        as_good(candidate, *several, kLeastNoise))
      most = &candidate;
  put_first(*most, choice);
}

}  // namespace

Choice choose_derived(const Learnt& derived, const Objective& objective, const Constraints& allowed,
                      const Predictor& predictor) {
  const Findings& findings = derived.findings;
  const auto simplest_of = [&](Which which) {
    Choice choice =
        predictor.choose(findings.measurements, objective, allowed, findings.trials, which);
    if (choice.count > 0) put_simplest_first(choice, derived.facts, findings);
    return choice;
  };
  Choice choice = simplest_of(Which::all);
  if (choice.count == 0) return choice;
  if (is_overrated(choice.best().configuration, findings))
    if (const Choice tried = simplest_of(Which::measured); tried.count > 0) choice = tried;
  if (derived.origin == Learnt::Origin::other_sizes) {
    leave_out_little_cores(choice, derived, allowed, predictor);
    take_more_lanes(choice, derived, allowed, predictor);
  }
  return choice;
}

bool same_work(const Chain& learnt, const Chain& chain) {
  return learnt.stages == chain.stages && learnt.device_capable == chain.device_capable &&
         learnt.device_only == chain.device_only && learnt.serial_stages == chain.serial_stages &&
         (splittable(learnt) & ~splittable(chain)) == 0 && learnt.devices == chain.devices &&
         std::ranges::all_of(learnt.lanes, [&](int lanes) {
           return std::ranges::find(chain.lanes, lanes) != chain.lanes.end();
         });
}

std::optional<Learnt> derive(const Conditions& wanted, const Knowledge& knowledge,
                             const Chain& chain, const Predictor& predictor) {
  if (!(pixels(wanted) > 0)) return std::nullopt;
  const Knowledge::value_type *nearest = nullptr, *second = nullptr;
  const auto way = [&](const Knowledge::value_type& entry) {
    return std::abs(std::log(pixels(entry.first) / pixels(wanted)));
  };
  for (const Knowledge::value_type& entry : knowledge) {
    const Learnt& learnt = entry.second;
    if (!differ_in_size_alone(entry.first, wanted) || learnt.derived() || learnt.findings.starved ||
        learnt.findings.measurements.stages.empty() || !same_work(learnt.facts.chain, chain))
      continue;
    if (!nearest || way(entry) < way(*nearest)) {
      second = std::exchange(nearest, &entry);
    } else if (!second || way(entry) < way(*second)) {
      second = &entry;
    }
  }
  if (!nearest) return std::nullopt;
  // Two of as many pixels, such as 640x480 and 480x640, tell no exponent.
  const bool two = second && pixels(second->first) != pixels(nearest->first);
  Learnt learnt;
  learnt.origin = Learnt::Origin::other_sizes;
  learnt.verified = false;
  learnt.facts.chain = chain;
  learnt.findings = nearest->second.findings;
  Measurements& m = learnt.findings.measurements;
  m.window = chain.window;
  const Scale by(pixels(wanted), pixels(nearest->first), two ? pixels(second->first) : 0);
  scale(m, two ? second->second.findings.measurements : Measurements(m), by);
  const auto of = [&](const Knowledge::value_type& other) {
    return as_tried(without_luck(other.second.findings.trials, m.devices), m, predictor);
  };
  std::vector<Trial>& trials = learnt.findings.trials;
  trials = of(*nearest);
  // A training tries little of what it expects to fall short: another one may have tried it.
  if (second)
    for (const Trial& trial : of(*second))
      if (!find_trial(trials, trial.configuration)) trials.push_back(trial);
  with_other_lanes(trials, m, chain.lanes, predictor);
  return learnt;
}

Learnt derive(const Learnt& learnt, const Slowdown& slowdown, const Predictor& predictor) {
  Learnt derived = learnt;
  derived.origin = Learnt::Origin::slower;
  derived.device_takes = slowdown.device;
  derived.verified = false;
  Measurements& m = derived.findings.measurements;
  for (Cost& cost : m.cg) multiply(cost, slowdown.cores);
  for (StageMeasurements& stage : m.stages) {
    multiply(stage.cg, slowdown.cores);
    multiply(stage.mg, slowdown.cores);
    for (Cost* cost : {&stage.device, &stage.upload, &stage.download})
      multiply(*cost, slowdown.device);
  }
  Split& split = m.split;
  split.cores = {slowdown.cores * split.cores.fixed_s, slowdown.cores * split.cores.rows_s};
  split.device = {slowdown.device * split.device.fixed_s, slowdown.device * split.device.rows_s};
  split.joins_s *= slowdown.cores;
  split.cpu_share = share_to_run(split);
  derived.findings.trials = as_tried(learnt.findings.trials, m, predictor);
  return derived;
}

}  // namespace tandem
