// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/choice.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "scheduler/learn/belief/next_trial.h"
#include "scheduler/learn/belief/value.h"
#include "scheduler/learn/meaning/regime.h"

namespace tandem {
namespace {

constexpr std::size_t kMostLooks = 4;

// Looks at the running configuration cost nothing. Threads that begin together make one look too
// slow and the next one too fast: both together are right.
Verdict verify_remembered(const Learnt& learnt, std::span<const Observation> looks) {
  const Candidate& chosen = learnt.chosen;
  const auto as_expected = [&](double fps) {
    return std::abs(fps / chosen.prediction.throughput_fps - 1) <= kHolds;
  };
  double frames = 0, seconds = 0;
  for (const Observation& look : looks) {
    frames += look.frames;
    seconds += look.frames * look.frame_s;
    if (as_expected(1 / look.frame_s) || as_expected(frames / seconds))
      return {Verdict::Is::holds, {}, chosen};
  }
  if (looks.size() < kMostLooks) return {Verdict::Is::open, chosen.configuration, {}};
  return {Verdict::Is::stale};
}

Verdict verify_derived(const Learnt& learnt, std::span<const Observation> looks,
                       const Objective& objective, const Constraints& allowed) {
  if (looks.empty()) return {Verdict::Is::open, learnt.chosen.configuration, {}};
  const Belief belief(learnt, looks, objective, allowed);
  const Facts facts{learnt.facts.chain, {looks.begin(), looks.end()}};
  const auto next = next_trial(belief, facts, learnt.findings);
  if (next && looks.size() < kMostLooks) return {Verdict::Is::open, next->configuration, {}};
  const Option* const best = belief.best(true);
  if (!best) return {Verdict::Is::stale};
  const Candidate chosen{best->configuration,
                         at_ratio(best->prediction, best->fps / best->prediction.throughput_fps)};
  const bool holds = belief.confirmed() && !belief.errs();
  return {holds ? Verdict::Is::holds : Verdict::Is::stale, {}, chosen};
}

}  // namespace

double expected_loss(const Belief& belief, const Option& best) {
  double most = 0;
  for (const Option& rival : belief.options()) {
    const double variance = best.variance + rival.variance - 2 * belief.covariance(best, rival);
    if (&rival == &best || !(variance > 0)) continue;
    const double spread = std::sqrt(variance);
    most = std::max(most, spread * mean_above_0((rival.mean - best.mean) / spread));
  }
  return most < std::numeric_limits<float>::epsilon() ? 0 : most;  // as small as rounding
}

void rank(const Belief& belief, const Option* best, const Findings& findings, Choice& choice) {
  if (!best || has_conditions(choice.objective) || choice.energy_unknown) return;
  choice.expected_loss = expected_loss(belief, *best);
  std::vector<const Option*> ran;
  for (const Option& option : belief.options())
    if (option.ran) ran.push_back(&option);
  std::ranges::sort(ran, [&](const Option* a, const Option* b) {
    return a == best || (b != best && a->mean > b->mean);
  });
  choice.count = static_cast<int>(std::min(ran.size(), choice.ranked.size()));
  for (int i = 0; i < choice.count; ++i) {
    const Option& option = *ran[static_cast<std::size_t>(i)];
    const Trial* trial = find_trial(findings.trials, option.configuration);
    Prediction prediction = trial ? trial->measured : option.prediction;
    if (is_of_rate_alone(choice.objective))
      prediction = at_ratio(prediction, option.fps / prediction.throughput_fps);
    choice.ranked[static_cast<std::size_t>(i)] = {option.configuration, prediction};
  }
}

Choice choose_derived(const Learnt& derived, const Objective& objective,
                      const Constraints& allowed) {
  const Findings& findings = derived.findings;
  Choice choice = choose(findings.measurements, objective, allowed, findings.trials);
  const Belief belief(derived, {}, objective, allowed);
  rank(belief, belief.best(), findings, choice);
  return choice;
}

Verdict verify(const Learnt& learnt, std::span<const Observation> looks, const Objective& objective,
               const Constraints& allowed) {
  return learnt.derived() ? verify_derived(learnt, looks, objective, allowed)
                          : verify_remembered(learnt, looks);
}

}  // namespace tandem
