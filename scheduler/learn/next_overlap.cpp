// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/next_overlap.h"

namespace tandem {

std::optional<Configuration> other_lanes(const Choice& measured, std::span<const Trial> trials,
                                         int most) {
  const Configuration& best = measured.best().configuration;
  if (!best.mapping.any_device() || best.mapping.any_split()) return std::nullopt;
  for (const int lanes : {2 * best.lanes, best.lanes / 2}) {
    Configuration other = best;
    other.lanes = lanes;
    if (lanes >= 1 && lanes <= most && !find_trial(trials, other)) return other;
  }
  return std::nullopt;
}

namespace {

// What the bands of a configuration gain, as far as it and the same with whole frames were tried.
double band_gain(const Configuration& configuration, std::span<const Trial> trials) {
  Configuration whole = configuration;
  whole.tasks = 1;
  const Trial *one = find_trial(trials, whole), *several = find_trial(trials, configuration);
  return one && several ? one->measured.latency_s / several->measured.latency_s : kUnknown;
}

}  // namespace

std::optional<Configuration> other_tasks(const Choice& measured, std::span<const Trial> trials,
                                         const Chain& chain, const LanePrior& prior) {
  Configuration other = measured.best().configuration;
  const bool has_bands = (other.mapping.device_stages() & chain.bands) != 0;
  if (!needs_latency(measured.objective) || !has_bands || other.mapping.any_split())
    return std::nullopt;
  if (other.tasks > 1 && other.tasks == prior.best_bands() &&
      band_gain(other, trials) <= prior.band_gain(other.tasks))
    return std::nullopt;
  other.tasks *= 2;
  if (other.tasks > kMaxTasks || find_trial(trials, other)) return std::nullopt;
  return other;
}

}  // namespace tandem
