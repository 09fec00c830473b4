// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "model/measurements.h"
#include "model/objective.h"
#include "scheduler/learn/facts/observation.h"

/// What kind of machine and objective a training is for. Pure.
namespace tandem {

/// With so few cores each number of threads is measured, and the model errs most.
inline constexpr int kFewCores = 4;

/// Whether nothing but the rate counts.
bool is_of_rate_alone(const Objective& objective);

/// Whether nothing but the rate counts, or joules that are few where the rate is high.
bool is_led_by_rate(const Objective& objective);

/// Seconds that all stages take under medium grain; unknown as long as one was not measured there.
double medium_s(const Measurements& measurements);

/// The part of a rate that all cores together reach under medium grain; unknown as long as a stage
/// was not measured there.
double cores_part(const Measurements& measurements, double throughput_fps);

/// Whether one core beside a device that takes `device_s` a frame alone made the stream too slow
/// for a trial (kTooSlow): frames leave in order, and wait for those of each further core as well.
bool is_held_up_by_a_core(std::span<const Observation> observations, int devices, double device_s);

/// Whether a device, or its driver, is made of the cores: beside it they are not what they are
/// alone, and what it computes costs about as much of them as without it.
bool is_made_of_cores(const Measurements& measurements);

}  // namespace tandem
