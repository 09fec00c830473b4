// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/option.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "scheduler/learn/belief/priors.h"
#include "scheduler/learn/belief/value.h"
#include "scheduler/learn/meaning/regime.h"

namespace tandem {
namespace {

// The part by which the device's times change to find `exposed`: as far as experiments err at most.
constexpr double kStep = 0.1;
constexpr double kLaneCosts = 1e-4;  // each doubling of lanes: less than matters
constexpr double kLanesAlike = 1.5;  // doublings of lanes at which errors have a correlation of 1/e

struct Options {
  const Facts& facts;
  const Findings& findings;
  const Objective& objective;
  std::array<bool, kMaxLanes + 1> lanes_measured = {};
  std::vector<Option> options = {};

  std::vector<Option> all(const Constraints& allowed) {
    for (const Observation& seen : facts.observations)
      if (seen.kind == Observation::Kind::experiment && seen.configuration.mapping.any_device())
        lanes_measured[static_cast<std::size_t>(seen.configuration.lanes)] = true;
    Model(findings.measurements, allowed.lanes.value_or(0))
        .predict_all([&](Configuration configuration, const Prediction& prediction) {
          if (allowed.tasks && configuration.mapping.any_device())
            configuration.tasks = *allowed.tasks;
          if (allowed(configuration) && is_predicted(configuration, allowed))
            add(configuration, prediction);
        });
    // Thousands of others are far behind, whatever the sides take.
    keep_best(options, 4 * kRivals, &Option::model);
    const Model faster = with_device(1 - kStep), slower = with_device(1 + kStep);
    for (Option& option : options)
      find_errors(option, value_of(faster.predict(option.configuration), objective),
                  value_of(slower.predict(option.configuration), objective));
    return std::move(options);
  }

  Model with_device(double times) const {  // as long on it
    Measurements other = findings.measurements;
    for (StageMeasurements& stage : other.stages)
      for (Cost* cost : {&stage.device, &stage.upload, &stage.download}) cost->multiply(times);
    return Model(other);
  }

  void add(const Configuration& configuration, const Prediction& prediction) {
    Option one{configuration, prediction};
    one.price = kLaneCosts * std::log2(configuration.lanes) +
                (configuration.mapping.any_split() ? std::log1p(kSplitGain) : 0);
    one.model = value_of(prediction, objective) - one.price;
    one.ran = was_measured(findings.measurements, configuration, findings.trials);
    if (std::isfinite(one.model)) options.push_back(std::move(one));
  }

  // `faster`, `slower`: the value if the device takes so much less or more time.
  void find_errors(Option& one, double faster, double slower) const {
    const Priors& prior = priors();
    const Configuration& configuration = one.configuration;
    const double value = one.model + one.price;
    one.device = configuration.mapping.any_device();
    one.coupled = one.device && !configuration.mapping.decoupled();
    one.medium = configuration.granularity == Granularity::medium;
    const double cores = facts.chain.cores;
    one.threads = one.medium ? 0 : configuration.threads / cores;
    if (one.device) {
      const int beside = std::max(0, configuration.threads - facts.chain.devices);
      const double busy = one.medium ? 1 : beside / cores;
      one.busy = busy * busy * busy;
      one.lanes = std::log2(configuration.lanes);
      const bool measured = lanes_measured[static_cast<std::size_t>(configuration.lanes)];
      one.new_lanes = measured ? 0 : one.lanes;  // of one lane there is no doubling
      one.exposed = std::max(0.0, (faster - slower) / (2 * kStep));
    }
    one.sd = one.coupled ? prior.coupled : prior.decoupled;
    if (one.coupled && one.lanes > 0) one.sd *= prior.with_lanes;
    // With the distance of the model from a line there: at a cliff it may be on either side.
    one.own_sd = std::hypot(one.sd, (faster + slower) / 2 - value);
    if (one.medium && one.coupled && is_made_of_cores(findings.measurements))
      one.own_sd = std::hypot(one.own_sd, prior.medium_of_cores);
  }
};

}  // namespace

bool is_predicted(const Configuration& configuration, const Constraints& allowed) {
  const Mapping& mapping = configuration.mapping;
  return !mapping.any_further_letter() && (configuration.tasks == 1 || allowed.tasks);
}

Errors common_errors(const Option& a, const Option& b) {
  const Priors& prior = priors();
  const bool same_grain = a.medium == b.medium;
  Errors common;
  common.inputs =
      square(prior.inputs) * (a.exposed * b.exposed + (1 - a.exposed) * (1 - b.exposed));
  if (a.device && b.device) {
    const double exposed = a.exposed * b.exposed;
    common.lanes = exposed * square(prior.lanes) * std::min(a.new_lanes, b.new_lanes);
    if (same_grain) common.beside = exposed * square(prior.beside) * std::min(a.busy, b.busy);
  }
  if (a.coupled && b.coupled && same_grain) common.mappings = square(prior.coupled);
  if (a.configuration.mapping != b.configuration.mapping) return common;
  if (a.coupled) common.mappings += a.sd * b.sd;
  if (!same_grain) return common;
  common.mappings += a.sd * b.sd *
                     std::exp(-std::abs(a.threads - b.threads) / prior.threads_alike -
                              std::abs(a.lanes - b.lanes) / kLanesAlike);
  if (a.configuration != b.configuration) return common;
  common.mappings += a.own_sd * b.own_sd;
  common.always += a.surprise;
  return common;
}

std::vector<Option> options_of(const Facts& facts, const Findings& findings,
                               const Objective& objective, const Constraints& allowed) {
  return Options{facts, findings, objective}.all(allowed);
}

}  // namespace tandem
