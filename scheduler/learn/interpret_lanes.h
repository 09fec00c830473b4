// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <span>

#include "model/lane_prior.h"
#include "scheduler/learn/observation.h"

namespace tandem {

/// What a frame takes with the device alone and one lane. 0: it was not measured.
struct OneLane {
  double frame_s = 0, joules = kUnknown;
};

/// X(1) / X(S), of observations with several lanes: of the device alone and, for numbers of lanes
/// that were not measured so, of the device beside cores. These may be in its way: fewer lanes than
/// were measured alone are left for a prior to fill in.
void take_lanes(std::span<const Observation> observations, const OneLane& one,
                std::array<LaneFactor, kMaxLanes>& factors);

/// What a frame takes with one lane, by what it takes with so many and what these are expected to
/// gain.
double expected_one_lane_s(std::span<const Observation> observations, const LanePrior& prior,
                           int lanes);

}  // namespace tandem
