// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/keep_up.h"

#include <algorithm>

#include "scheduler/learn/meaning/regime.h"

namespace tandem {
namespace {

using Kind = Observation::Kind;

// A glance at what had not run before: no rest.
bool is_new_glance(std::span<const Observation> observations, std::size_t at) {
  const Observation& seen = observations[at];
  return seen.kind == Kind::glance &&
         std::ranges::none_of(observations.first(at), [&](const Observation& before) {
           return before.kind != Kind::stages && before.configuration == seen.configuration;
         });
}

// The fastest that can run as it was measured. Experiments that waited for their source are left
// out, as their rate is that of frames at hand, and rests of few frames, which leave in bursts.
const Observation* fastest_of(std::span<const Observation> observations) {
  const Observation* fastest = nullptr;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const Observation& seen = observations[i];
    if (seen.kind == Kind::stages || seen.in_vain || 2 * seen.starved_frames > seen.frames)
      continue;
    const bool again = seen.kind == Kind::glance && !is_new_glance(observations, i);
    if (again && seen.frames < kTellingFrames) continue;
    if (!fastest || rate_of(seen) > rate_of(*fastest)) fastest = &seen;
  }
  return fastest;
}

}  // namespace

double rate_of(const Observation& seen) {
  if (known(seen.frame_s)) return 1 / seen.frame_s;
  return seen.lasted_s > 0 ? seen.frames / seen.lasted_s : 0;
}

double brought_fps(std::span<const Observation> observations) {
  const Observation* fastest = fastest_of(observations);
  return fastest ? rate_of(*fastest) : 0;
}

Plan keep_up(Plan next, const Facts& facts, const Findings& findings, const Objective& objective) {
  const Measurements& m = findings.measurements;
  if (const double most_s = m.cores * medium_s(m); known(most_s)) next.core_s = most_s;
  const Observation* fastest = fastest_of(facts.observations);
  if (!fastest || objective.metric == Metric::latency || needs_energy(objective)) return next;
  const double slow_fps = kTooSlow * rate_of(*fastest);
  if (!is_trial(next.kind)) next.slow_fps = slow_fps;
  const Observation& last = facts.observations.back();
  const Configuration& best = fastest->configuration;
  const double expected_s = latency_s(findings.measurements, best);
  const double fill_s = known(expected_s) ? expected_s : fastest->latency_s;
  const bool is_best = last.configuration == best || next.configuration == best;
  if (is_best || rate_of(last) >= slow_fps || next.kind == Kind::look || !(fill_s < kCheap_s))
    return next;
  return {.configuration = best,
          .kind = Kind::glance,
          .fill_s = fill_s,
          .meters = false,
          .rest = true,
          .why = "the stream catches up"};
}

}  // namespace tandem
