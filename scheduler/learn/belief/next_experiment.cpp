// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/next_experiment.h"

#include <algorithm>
#include <string>
#include <utility>

#include "scheduler/learn/belief/belief.h"
#include "scheduler/learn/belief/choice.h"
#include "scheduler/learn/belief/next_trial.h"
#include "scheduler/learn/meaning/keep_up.h"
#include "scheduler/learn/meaning/letters.h"
#include "scheduler/learn/meaning/next_measurement.h"
#include "scheduler/learn/meaning/splits.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

struct Finder {
  const Facts& facts;
  const Findings& findings;
  const Objective& objective;
  const Constraints& allowed;

  Next next() const {
    if (const auto plan = next_measurement(facts, findings, objective, allowed)) return {plan, {}};
    if (const auto plan = next_split(facts, findings, objective, allowed)) return {plan, {}};
    if (const auto plan = next_letter(facts, findings, objective, allowed)) return {plan, {}};
    // A source that does not keep the threads busy tells nothing about rates.
    if (findings.starved) return {{}, best_of(Which::all)};
    Choice measured = best_of(Which::measured);
    if (const auto letters = promising_letters(facts, findings, measured, allowed))
      return {attempt(*letters, Kind::glance, "by the model devices of other kinds help"), {}};
    // Joules are unknown before a configuration ran for as long as the counter needs.
    if (measured.energy_unknown && measured.count > 0 && !looked_at(measured.best().configuration))
      return {attempt(measured.best().configuration, Kind::look, "nothing is known of joules"), {}};
    const Belief belief(facts, findings, objective, allowed);
    if (const auto trial = next_trial(belief, facts, findings))
      return {attempt(trial->configuration, trial->kind, explain(*trial)), {}};
    if (measured.count == 0) return {{}, best_of(Which::all)};
    if (const auto plan = of_no_belief(measured)) return {plan, {}};
    if (is_predicted(measured.best().configuration, allowed))
      rank(belief, belief.confirmed() ? belief.confirmed() : belief.best(), findings, measured);
    return {{}, measured};
  }

  // Plans for configurations that the analytic model does not predict.
  std::optional<Plan> of_no_belief(const Choice& measured) const {
    if (const auto bands = more_bands(measured))
      return attempt(*bands, Kind::glance, "more bands may lower latency");
    const Configuration& best = measured.best().configuration;
    if (is_predicted(best, allowed) || looked_at(best)) return std::nullopt;
    return attempt(best, Kind::look, kLookIsDue);
  }

  // Twice the bands of the best configuration, if these were not tried and its stages allow bands.
  // Only where latency counts: lanes overlap copies and kernels of several frames as well.
  std::optional<Configuration> more_bands(const Choice& measured) const {
    Configuration more = measured.best().configuration;
    const bool has_bands = (more.mapping.device_stages() & facts.chain.bands) != 0;
    if (!needs_latency(objective) || !has_bands || more.mapping.any_split()) return std::nullopt;
    more.tasks *= 2;
    const bool is_new = more.tasks <= kMaxTasks && !find_trial(findings.trials, more);
    return is_new && allowed(more) ? std::optional(more) : std::nullopt;
  }

  bool looked_at(const Configuration& configuration) const {
    return std::ranges::any_of(facts.observations, [&](const Observation& seen) {
      return seen.kind == Kind::look && seen.configuration == configuration;
    });
  }

  Choice best_of(Which which) const {
    return choose(findings.measurements, objective, allowed, findings.trials, which);
  }

  Plan attempt(const Configuration& configuration, Kind kind, std::string why) const {
    const bool meters = kind == Kind::look;
    // The configuration of least latency or power may have any rate.
    const bool may_be_slow =
        objective.metric == Metric::latency || (meters && needs_energy(objective));
    double best_fps = 0;
    for (const Trial& trial : findings.trials)
      best_fps = std::max(best_fps, trial.measured.throughput_fps);
    return {.configuration = configuration,
            .kind = kind,
            .fill_s = latency_s(findings.measurements, configuration),
            .slow_fps = may_be_slow ? 0 : kTooSlow * best_fps,
            .meters = meters,
            .why = std::move(why)};
  }
};

}  // namespace

Next next_experiment(const Facts& facts, const Findings& findings, const Objective& objective,
                     const Constraints& allowed) {
  Next next = Finder{facts, findings, objective, allowed}.next();
  if (!next.plan) return next;
  next.plan =
      as_in_service(keep_up(*next.plan, facts, findings, objective), facts.chain, objective);
  next.plan->source_fps = brought_fps(facts.observations);
  return next;
}

}  // namespace tandem
