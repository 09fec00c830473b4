// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/learn/meaning/interpret_lanes.h"

#include <cmath>

namespace tandem {

namespace {

// The device's, beside cores or not.
double frame_s_of(const Observation& seen) {
  return seen.kind == Observation::Kind::beside ? seen.device_frame_s : seen.frame_s;
}

}  // namespace

void take_lanes(std::span<const Observation> observations, const OneLane& one,
                std::array<LaneFactor, kMaxLanes>& factors) {
  if (!(one.frame_s > 0)) return;
  for (const bool beside : {false, true}) {
    for (const Observation& seen : observations) {
      if ((seen.kind == Observation::Kind::beside) != beside) continue;
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
