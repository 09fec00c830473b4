// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/choice.h"

#include <algorithm>
#include <vector>

#include "scheduler/learn/belief/next_trial.h"
#include "scheduler/learn/meaning/regime.h"

namespace tandem {

void rank(const Belief& belief, const Option& best, const Findings& findings, Choice& choice) {
  choice.expected_loss = expected_loss(belief, best);
  std::vector<const Option*> ran;
  for (const Option& option : belief.options())
    if (option.ran) ran.push_back(&option);
  std::ranges::sort(ran, [&](const Option* a, const Option* b) {
    return a == &best || (b != &best && a->mean > b->mean);
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
  if (choice.count == 0 || has_conditions(objective) || choice.energy_unknown) return choice;
  const Belief belief(derived, {}, objective, allowed);
  if (const Option* const best = belief.best()) rank(belief, *best, findings, choice);
  return choice;
}

}  // namespace tandem
