// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/next_lanes.h"

#include <algorithm>

namespace tandem {

std::optional<int> next_lanes(std::span<const int> lanes,
                              const std::array<LaneFactor, kMaxLanes>& factors,
                              const std::function<bool(int)>& made) {
  double before = 1;  // X(S) / X(1) of half as many
  for (const int n : lanes) {
    if (!made(n)) return n;
    const double gain = 1 / factors[static_cast<std::size_t>(n) - 1].seconds;
    if (!(gain >= before * (1 + kLaneGain))) return std::nullopt;
    before = gain;
  }
  return std::nullopt;
}

bool measured_lanes(const Facts& facts, int lanes) {
  return std::ranges::any_of(facts.observations, [&](const Observation& seen) {
    return seen.kind == Observation::Kind::experiment && seen.configuration.mapping.any_device() &&
           seen.configuration.lanes == lanes;
  });
}

}  // namespace tandem
