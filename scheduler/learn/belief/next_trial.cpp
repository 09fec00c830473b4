// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/next_trial.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "scheduler/learn/belief/priors.h"
#include "scheduler/learn/belief/value.h"

namespace tandem {
namespace {

// Most trials, looks and rests of a training, in case the belief is wrong. The most on 3500 random
// chips was 53.
constexpr int kMostTrials = 60;

// Logarithms that are equal when printed, and those of errors that are too small to be a reason.
constexpr double kEqual = 5e-4, kSmall = 5e-3;

std::string number(const char* format, double value) {
  char text[32];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

// "3.0% better" of a difference of logarithms.
std::string difference(double logarithm) {
  return number("%.1f%%", 100 * std::abs(std::expm1(logarithm))) +
         (logarithm > 0 ? " better" : " worse");
}

struct Trials {
  const Belief& belief;
  const Facts& facts;
  const Findings& findings;
  const Option* const best = belief.best();
  double tried_s = 0, best_fps = 0;
  std::vector<double> later = {};  // costs of a trial of each option, as a value
  std::vector<Line> lines = {};

  std::optional<NextTrial> next() {
    const std::vector<Option>& options = belief.options();
    int trials = 0;
    for (const Observation& seen : facts.observations) {
      if (!is_trial(seen.kind)) continue;
      ++trials;
      tried_s += seen.lasted_s;
    }
    for (const Option& option : options)
      if (option.ran) best_fps = std::max(best_fps, option.fps);
    if (trials >= kMostTrials || options.empty()) return std::nullopt;
    if (!best) return NextTrial{std::ranges::max(options, {}, &Option::hope).configuration};
    for (const Option& option : options)
      later.push_back(option.ran ? 0 : cost_of(option).costs_s / priors().kept_s);
    std::optional<NextTrial> most;
    for (const Option& option : options) {
      const NextTrial trial = worth_of(option);
      const double worth = trial.gain_s - trial.costs_s;
      if (worth > (most ? most->gain_s - most->costs_s : 0)) most = trial;
    }
    if (most || belief.confirmed()) return most;
    most = trial_of(*best);
    most->kind = Observation::Kind::look;
    return most;
  }

  double fill_s(const Configuration& configuration) const {
    const double fill_s = latency_s(findings.measurements, configuration);
    return std::isfinite(fill_s) ? fill_s : 0;
  }

  struct Cost {
    double counted_s, costs_s;
  };
  // Seconds of the best rate that are lost by a slower configuration and by the change to it, and a
  // price for the time of training. The price grows with the time of trials.
  Cost cost_of(const Option& option) const {
    const Priors& prior = priors();
    const Configuration& runs = facts.observations.back().configuration;
    const double in_s = fill_s(option.configuration);
    const double counted_s = glance_s(option.fps, in_s);
    const double change_s = option.configuration == runs ? 0 : in_s + fill_s(runs);
    const double slower = std::max(0.0, 1 - option.fps / best_fps);
    const double second_costs = prior.second_costs * (1 + square(tried_s / prior.patience_s));
    return {counted_s, (counted_s + (1 - prior.switching) * change_s) * slower +
                           prior.switching * change_s + (counted_s + change_s) * second_costs};
  }

  // Another option that never ran is no choice yet: a trial of it would come first.
  NextTrial worth_of(const Option& option) {
    const auto [counted_s, costs_s] = cost_of(option);
    const double spread = std::sqrt(option.variance + belief.noise(counted_s, true));
    lines.clear();
    for (const Option& rival : belief.options()) {
      const double later_costs = &rival == &option ? 0 : later[lines.size()];
      lines.push_back({belief.covariance(rival, option) / spread, rival.mean - later_costs});
    }
    NextTrial trial = trial_of(option);
    trial.gain_s = priors().kept_s * (mean_of_greatest(lines) - best->mean - priors().indifferent);
    trial.costs_s = costs_s;
    return trial;
  }

  NextTrial trial_of(const Option& option) const {
    return {.configuration = option.configuration,
            .best = &option == best,
            .expected = option.mean - best->mean,
            .uncertain = std::sqrt(option.variance),
            .moved = option.mean - option.model,
            .moved_by = option.moved_by};
  }
};

}  // namespace

std::optional<NextTrial> next_trial(const Belief& belief, const Facts& facts,
                                    const Findings& findings) {
  return Trials{belief, facts, findings}.next();
}

std::string explain(const NextTrial& trial) {
  // The first of a training that has no experiment of whole frames.
  if (!(trial.uncertain > 0)) return "no configuration ran yet";
  std::string text = trial.best ? "the best so far"
                     : std::abs(trial.expected) < kEqual
                         ? "expected as good as the best so far"
                         : "expected " + difference(trial.expected) + " than the best so far";
  text += ", uncertain by " + number("%.1f%%", 100 * trial.uncertain);
  text += trial.costs_s > 0 ? "; gains " + number("%.2g s", trial.gain_s) + " of frames, costs " +
                                  number("%.2g s", trial.costs_s)
                            : std::string("; ") + kLookIsDue;
  if (trial.moved_by.mapping.stages > 0 && std::abs(trial.moved) >= kSmall)
    text += "; " + difference(trial.moved) + " than predicted, since " +
            (trial.moved_by == trial.configuration ? "it" : to_string(trial.moved_by)) + " ran";
  return text;
}

std::string explain(const Plan& plan) {
  const char* const what = plan.rest                              ? "rest with "
                           : plan.kind == Observation::Kind::look ? "look at "
                                                                  : "trial of ";
  return what + to_string(plan.configuration) + ": " + plan.why;
}

}  // namespace tandem
