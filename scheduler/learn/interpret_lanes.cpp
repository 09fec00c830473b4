// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/interpret_lanes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tandem {

namespace {

// The device's, beside cores or not.
double frame_s_of(const Observation& seen) {
  return seen.kind == Observation::Kind::beside ? seen.device_frame_s : seen.frame_s;
}

}  // namespace

double expected_one_lane_s(std::span<const Observation> observations, const LanePrior& prior,
                           int lanes) {
  double least_s = std::numeric_limits<double>::infinity();
  for (const Observation& seen : observations)
    if (seen.configuration.lanes == lanes) least_s = std::min(least_s, frame_s_of(seen));
  return (lanes == 1 ? 1 : prior.gains[static_cast<std::size_t>(lanes) - 1]) * least_s;
}

void take_lanes(std::span<const Observation> observations, const OneLane& one,
                std::array<LaneFactor, kMaxLanes>& factors) {
  if (!(one.frame_s > 0)) return;
  int most_alone = 1;
  for (const Observation& seen : observations)
    if (seen.kind != Observation::Kind::beside && std::isfinite(seen.frame_s))
      most_alone = std::max(most_alone, seen.configuration.lanes);
  for (const bool beside : {false, true}) {
    for (const Observation& seen : observations) {
      if ((seen.kind == Observation::Kind::beside) != beside) continue;
      if (beside && seen.configuration.lanes < most_alone) continue;
      LaneFactor& factor = factors[static_cast<std::size_t>(seen.configuration.lanes) - 1];
      const double frame_s = frame_s_of(seen);
      if ((beside && known(factor.seconds)) || !std::isfinite(frame_s)) continue;
      factor.seconds = frame_s / one.frame_s;
      const double joules = beside ? kUnknown : seen.watts.sum() * frame_s / one.joules;
      factor.joules = known(joules) ? joules : 1;
    }
  }
}

}  // namespace tandem
