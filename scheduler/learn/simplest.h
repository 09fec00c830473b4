// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "model/objective.h"
#include "scheduler/learn/facts.h"
#include "scheduler/learn/interpret.h"

/// Which of near equals is chosen. Pure.
namespace tandem {

/// A risky configuration has to be so much ahead of a simpler one, in rate.
inline constexpr double kRisk = 0.06;

/// Whether the cores reach so little of the best rate that beside a device they are in the way of
/// its driver: under medium grain, and with a frame each where that was measured.
bool cores_are_in_the_way(const Measurements& measurements, double best_fps);

/// Whether cores that add little to a device compute beside it: they are in its driver's way as
/// soon as something changes, and what was measured for a moment is seldom what lasts.
bool is_risky(const Configuration& configuration, const Measurements& measurements,
              double best_fps);

/// How much further ahead than one without a risk it has to be: kRisk or 0.
double risk_of(const Configuration& configuration, const Measurements& measurements,
               double best_fps);

/// Of those that are as good within the noise, the one whose frames change sides least often: many
/// changes make a rhythm that may break. Then the one with the fewest frames on the device, which
/// answers soonest. The best itself is left for one that is a little behind, and has no such risk.
void put_simplest_first(Choice& choice, const Facts& facts, const Findings& findings);

}  // namespace tandem
