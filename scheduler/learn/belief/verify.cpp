// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/belief/verify.h"

#include <cmath>

#include "scheduler/learn/belief/belief.h"
#include "scheduler/learn/belief/next_trial.h"

namespace tandem {
namespace {

constexpr std::size_t kMostLooks = 4;

double rate(const Observation& look) { return 1 / look.frame_s; }

// Looks at what runs cost nothing. Threads that begin together make one look too slow and the next
// one too fast: both together are right.
Verdict verify_remembered(const Learnt& learnt, std::span<const Observation> looks) {
  const Candidate& chosen = learnt.chosen;
  const auto as_expected = [&](double fps) {
    return std::abs(fps / chosen.prediction.throughput_fps - 1) <= kHolds;
  };
  double frames = 0, seconds = 0;
  for (const Observation& look : looks) {
    frames += look.frames;
    seconds += look.frames * look.frame_s;
    if (as_expected(rate(look)) || as_expected(frames / seconds))
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
  const auto next = next_trial(belief, facts, learnt.findings, objective);
  if (next && looks.size() < kMostLooks) return {Verdict::Is::open, next->configuration, {}};
  const Option* const best = belief.best(true);
  if (!best) return {Verdict::Is::stale};
  const Candidate chosen{best->configuration,
                         at_ratio(best->prediction, best->fps / best->prediction.throughput_fps)};
  const bool holds = belief.confirmed() && !belief.errs();
  return {holds ? Verdict::Is::holds : Verdict::Is::stale, {}, chosen};
}

}  // namespace

Verdict verify(const Learnt& learnt, std::span<const Observation> looks, const Objective& objective,
               const Constraints& allowed) {
  return learnt.derived() ? verify_derived(learnt, looks, objective, allowed)
                          : verify_remembered(learnt, looks);
}

}  // namespace tandem
