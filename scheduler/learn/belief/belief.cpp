// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/belief.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "scheduler/learn/belief/priors.h"
#include "scheduler/learn/belief/value.h"

namespace tandem {
namespace {

// Below it doubles do not tell variances of about 1 apart.
constexpr double kLeastVariance = std::numeric_limits<double>::epsilon();
// Standard deviations of single mappings, as factors: agreeing trials make others credible.
constexpr double kScales[] = {0.25, 0.4, 0.63, 1, 1.6};

// Adds four products at a time, which a loop may not.
double dot(const double* a, const double* b, std::size_t n) {
  return std::transform_reduce(a, a + n, b, 0.0);
}

// An observation as a prediction, with the model's watts if no meter had a value.
Prediction seen_as_prediction(const Observation& seen, const Option& option) {
  const double ratio = 1 / seen.frame_s / option.prediction.throughput_fps;
  Prediction prediction = at_ratio(option.prediction, ratio);
  const double watts = seen.watts.sum();
  if (known(watts)) prediction.power_w = watts;
  prediction.energy_j = prediction.power_w * seen.frame_s;
  if (known(seen.latency_s)) prediction.latency_s = seen.latency_s;
  return prediction;
}

}  // namespace

Belief::Belief(const Facts& facts, const Findings& findings, const Objective& objective,
               const Constraints& allowed)
    : tells_rates_(!has_conditions(objective) && !needs_energy(objective)),
      options_(options_of(facts, findings, objective, allowed)) {
  observe(facts.observations, objective);
  conclude(1);
}

Belief::Belief(const Learnt& derived, std::span<const Observation> looks,
               const Objective& objective, const Constraints& allowed)
    : tells_rates_(!has_conditions(objective) && !needs_energy(objective)),
      options_(options_of(derived.facts, derived.findings, objective, allowed)) {
  // These trials are uncertain evidence of the errors here.
  for (const Trial& trial : derived.findings.trials)
    if (const Option* const option = find(trial.configuration))
      take(*option, value_of(trial.measured, objective), square(priors().elsewhere), false, true);
  observe(looks, objective);
  conclude(std::hypot(priors().inputs_elsewhere, priors().exponent * derived.pixels_off) /
           priors().inputs);
}

void Belief::observe(std::span<const Observation> observations, const Objective& objective) {
  for (const Observation& seen : observations) {
    if (seen.kind == Observation::Kind::stages || seen.in_vain || !(seen.frame_s > 0)) continue;
    const bool at_length = tells_at_length(seen);
    Option* const option = find(seen.configuration);
    if (!option) continue;
    option->at_length = option->at_length || at_length;
    option->ran = option->ran || is_trial(seen.kind);
    // The model's values for the cores alone are the measured ones.
    if (!is_trial(seen.kind) && !option->device) continue;
    take(*option, value_of(seen_as_prediction(seen, *option), objective),
         noise(seen.frames * seen.frame_s, !at_length), at_length, false);
  }
}

Option* Belief::find(const Configuration& configuration) {
  const auto found = std::ranges::find(options_, configuration, &Option::configuration);
  return found == options_.end() ? nullptr : &*found;
}

// Several observations of a configuration become one. A look takes the place of brief ones, whose
// rhythm did not last.
void Belief::take(const Option& of, double value, double variance, bool at_length, bool elsewhere) {
  const Seen now{static_cast<std::size_t>(&of - options_.data()), value - of.price - of.model,
                 1 / variance, at_length, elsewhere};
  if (!std::isfinite(now.off)) return;
  const auto before = std::ranges::find(seen_, now.option, &Seen::option);
  if (before == seen_.end()) {
    seen_.push_back(now);
  } else if (now.at_length && !before->at_length) {
    *before = now;
  } else if (now.at_length == before->at_length) {
    const double apart = now.off - before->off;
    before->precision += now.precision;
    before->off += now.precision / before->precision * apart;
  }
}

double Belief::noise(double counted_s, bool brief) const {
  const double rhythm = brief ? square(priors().glance) : 0;
  return square(priors().noise) * (1 + 1 / counted_s) + rhythm;
}

// Takes the scales under which the observations are most likely, one after the other.
void Belief::choose_scales(double inputs) {
  const Priors& prior = priors();
  for (const Seen& one : seen_) seen_options_.push_back(options_[one.option]);
  for (std::size_t i = 0; i < seen_.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j)
      common_.push_back(seen_[i].elsewhere ? common(seen_options_[j], i)
                                           : common(seen_options_[i], j));
  double most = -std::numeric_limits<double>::infinity();
  Errors best{inputs, 1, 1, 1};
  const auto offer = [&](const Errors& scales) {
    scales_ = scales;
    const int disturbed = (scales.beside > 1) + (scales.lanes > 1);
    const double likely = factorise() + disturbed * std::log(prior.disturbed_part) -
                          square(std::log(scales.mappings) / prior.scale) / 2;
    if (likely > most) best = scales;
    most = std::max(most, likely);
  };
  offer(best);
  for (double Errors::*const one : {&Errors::beside, &Errors::lanes, &Errors::inputs}) {
    if (one == &Errors::inputs && inputs == 1) continue;
    Errors more = best;
    more.*one *= prior.disturbed;
    offer(more);
  }
  for (Errors other = best; const double mappings : kScales) {
    other.mappings = mappings;
    offer(other);
  }
  errs_ = best.inputs > inputs;
  scales_ = best;
  factorise();
}

// Trials of other frames do not show the times of a side for these.
Errors Belief::common(const Option& option, std::size_t seen) const {
  Errors common = common_errors(option, seen_options_[seen]);
  if (seen_[seen].elsewhere) common.inputs = 0;
  return common;
}

// Returns the logarithm of the marginal likelihood, less a constant.
double Belief::factorise() {
  const std::size_t n = seen_.size();
  factor_.assign(n * n, 0);
  solved_.assign(n, 0);
  double likely = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double* const row = &factor_[i * n];
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = common_[i * (i + 1) / 2 + j].covariance(scales_);
      if (i == j) sum += 1 / seen_[i].precision;
      sum -= dot(row, &factor_[j * n], j);
      row[j] = i == j ? 1 / std::sqrt(std::max(sum, kLeastVariance)) : sum * factor_[j * n + j];
    }
    solved_[i] = (seen_[i].off - dot(row, solved_.data(), i)) * row[i];
    likely += std::log(row[i]) - square(solved_[i]) / 2;
  }
  return likely;
}

// Leaves out each observation in turn (Rasmussen and Williams, equations 5.10 to 5.12). One that is
// further off what the others say than `outlier` deviations gets a variance of its own.
void Belief::widen_surprises() {
  const std::size_t n = seen_.size();
  std::vector<double> column(n);  // of L^-1
  for (std::size_t j = 0; j < n; ++j) {
    double precision = 0, weighted = 0;
    for (std::size_t i = j; i < n; ++i) {
      const double* const row = &factor_[i * n];
      column[i] = ((i == j ? 1 : 0) - dot(row + j, &column[j], i - j)) * row[i];
      precision += square(column[i]);
      weighted += column[i] * solved_[i];
    }
    const double off = weighted / precision;
    const double more = square(off / priors().outlier) - 1 / precision;
    if (more <= 0) continue;
    options_[seen_[j].option].surprise = more;
    common_[j * (j + 1) / 2 + j].always += more;
  }
  factorise();
}

// Means of all, and variances of those that may be the best.
void Belief::conclude(double inputs) {
  choose_scales(inputs);
  widen_surprises();
  const std::size_t n = seen_.size();
  std::vector<double> weights = solved_;  // L^-T of that
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) weights[i] -= factor_[k * n + i] * weights[k];
    weights[i] *= factor_[i * n + i];
  }
  std::vector<double> moves(n);
  for (Option& option : options_) {
    option.mean = option.model;
    for (std::size_t i = 0; i < n; ++i) {
      moves[i] = weights[i] * common(option, i).covariance(scales_);
      option.mean += moves[i];
    }
    const auto [least, most] = std::ranges::minmax_element(moves);
    const auto moved_by = option.mean > option.model ? most : least;
    if (n > 0)
      option.moved_by =
          seen_options_[static_cast<std::size_t>(moved_by - moves.begin())].configuration;
    option.variance = common_errors(option, option).covariance(scales_);
    option.fps = option.prediction.throughput_fps;
    if (tells_rates_) option.fps *= std::exp(option.mean - option.model);
  }
  keep_best(options_, kRivals, &Option::hope);
  for (Option& option : options_) project(option);
}

// L^-1 of its covariances with the observations. The variance falls by their squares.
void Belief::project(Option& option) const {
  const std::size_t n = seen_.size();
  option.projection.resize(n);
  double* const projection = option.projection.data();
  for (std::size_t i = 0; i < n; ++i) {
    const double* const row = &factor_[i * n];
    projection[i] = (common(option, i).covariance(scales_) - dot(row, projection, i)) * row[i];
  }
  option.variance = std::max(option.variance - dot(projection, projection, n), kLeastVariance);
}

double Belief::covariance(const Option& a, const Option& b) const {
  return common_errors(a, b).covariance(scales_) -
         dot(a.projection.data(), b.projection.data(), a.projection.size());
}

const Option* Belief::best(bool at_length) const {
  const Option* best = nullptr;
  for (const Option& option : options_)
    if (option.ran && (!at_length || option.at_length) && (!best || option.mean > best->mean))
      best = &option;
  return best;
}

const Option* Belief::confirmed() const {
  const Option *any = best(), *one = best(true);
  return one && one->mean >= any->mean - priors().confirmed ? one : nullptr;
}

}  // namespace tandem
