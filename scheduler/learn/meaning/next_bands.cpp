// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/next_bands.h"

namespace tandem {

std::optional<Configuration> next_bands(const Choice& measured, std::span<const Trial> trials,
                                        const Chain& chain) {
  Configuration other = measured.best().configuration;
  const bool has_bands = (other.mapping.device_stages() & chain.bands) != 0;
  if (!needs_latency(measured.objective) || !has_bands || other.mapping.any_split())
    return std::nullopt;
  other.tasks *= 2;
  if (other.tasks > kMaxTasks || find_trial(trials, other)) return std::nullopt;
  return other;
}

}  // namespace tandem
