// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "model/lane_prior.h"
#include "model/trial.h"
#include "scheduler/learn/facts.h"

namespace tandem {

/// With how many lanes the device is measured next, after one; none when that is clear. Pure.
/// `lanes`: that may be measured, each twice the one before. `factors`: X(1) / X(S), unknown where
/// the device took no frame. `made`: whether S lanes were measured.
///
/// Without a prior, and where it expects no gain, there are twice as many lanes each time, until
/// that gains less than kLaneGain. Where it expects one the most lanes are measured alone: no other
/// number does better than they do, so that what is chosen does not hang on the prior. How few are
/// as good is for trials to show, which begin with the number that it names. That number is an
/// experiment too where the most lanes gain less than was expected, or lose.
///
/// As long as no doubling loses, or gains more than the one before it, no prior, right or wrong,
/// has more numbers measured than none: a gain takes two without one, and no gain takes one.
std::optional<int> next_lanes(std::span<const int> lanes,
                              const std::array<LaneFactor, kMaxLanes>& factors,
                              const LanePrior& prior, const std::function<bool(int)>& made);

/// The same with as few lanes as are expected to be enough; none where it has no more than these,
/// or where that was tried.
std::optional<Configuration> as_few_lanes(Configuration configuration,
                                          std::span<const Trial> trials, int expected);

/// What the training measured of the device with one lane; unknown before it did.
DeviceFrame device_frame(const Facts& facts);

}  // namespace tandem
