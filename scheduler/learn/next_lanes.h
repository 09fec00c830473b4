// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "model/correction.h"
#include "model/lane_prior.h"
#include "model/objective.h"
#include "scheduler/learn/facts.h"

namespace tandem {

/// Whether all but the number of lanes is the same; two equal ones are.
bool differ_in_lanes_alone(Configuration a, const Configuration& b);

/// With how many lanes the device is measured next, after one; none when that is clear. Pure.
/// `lanes`: that may be measured, each twice the one before. `factors`: X(1) / X(S), unknown where
/// the device took no frame. `made`: whether S lanes were measured.
///
/// Without a prior, and where it expects no gain, there are twice as many lanes each time, until
/// that gains less than kLaneGain. Where it expects one the number that has it comes first. That is
/// all where they gain what is expected: whether more lanes do better is for trials to show. Else
/// twice as many each time follow, as far as what was measured leaves room for a gain.
///
/// As long as no doubling loses, or gains more than the one before it, no prior, right or wrong,
/// has more numbers measured than none.
std::optional<int> next_lanes(std::span<const int> lanes,
                              const std::array<LaneFactor, kMaxLanes>& factors,
                              const LanePrior& prior, const std::function<bool(int)>& made);

/// The same with as few lanes as are expected to be enough; none where it has no more than these,
/// or where that was tried.
std::optional<Configuration> as_few_lanes(Configuration configuration,
                                          std::span<const Trial> trials, int expected);

/// Whether as many as are expected to be best gain half to twice of what is expected of them.
bool as_expected(std::span<const int> lanes, const std::array<LaneFactor, kMaxLanes>& factors,
                 const LanePrior& prior);

/// What nobody ran where a prior spared one lane alone, as far as it is `worth` a trial: the device
/// alone in the mapping of the best, because cores beside it may be in the way, then twice as many
/// lanes as the best has, if these are as many as are expected to be enough or more, and half of
/// what is expected.
std::optional<Configuration> unproven_lanes(const Choice& measured, std::span<const Trial> trials,
                                            const Facts& facts,
                                            const std::function<bool(const Configuration&)>& worth);

/// Whether an experiment had so many lanes of the device, with or without cores beside it.
bool measured_lanes(const Facts& facts, int lanes);

/// What the training measured of the device with one lane: of whole frames or, as long as there
/// were none, of its stages one by one; unknown before it did.
DeviceFrame device_frame(const Facts& facts);

}  // namespace tandem
