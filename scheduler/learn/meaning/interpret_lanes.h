// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>

#include "model/measurements.h"
#include "scheduler/learn/facts/observation.h"

namespace tandem {

/// What a frame takes with the device alone and one lane. 0: it was not measured.
struct OneLane {
  double frame_s = 0, joules = kUnknown;
};

/// X(1) / X(S), of observations with several lanes: of the device alone and, for numbers of lanes
/// that were not measured so, of the device beside cores, which may be in its way.
void take_lanes(std::span<const Observation> observations, const OneLane& one,
                std::array<LaneFactor, kMaxLanes>& factors);

}  // namespace tandem
