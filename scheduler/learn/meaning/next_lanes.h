// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>

#include "model/measurements.h"
#include "scheduler/learn/facts/facts.h"

namespace tandem {

/// The least part by which twice as many lanes have to raise the rate.
inline constexpr double kLaneGain = 0.05;

/// With how many lanes the device is measured next, after one: twice as many each time, until that
/// gains less than kLaneGain; none when that is clear. Pure. `lanes`: that may be measured, each
/// twice the one before. `factors`: X(1) / X(S), unknown where the device took no frame. `made`:
/// whether S lanes were measured.
std::optional<int> next_lanes(std::span<const int> lanes,
                              const std::array<LaneFactor, kMaxLanes>& factors,
                              const std::function<bool(int)>& made);

/// Whether an experiment had so many lanes of the device, with or without cores beside it.
bool measured_lanes(const Facts& facts, int lanes);

}  // namespace tandem
