// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "model/objective.h"
#include "scheduler/learn/facts.h"

namespace tandem {

/// Whether a trial that can be expected to gain so much, as a part of the best rate that was
/// measured, is worth what trials of this training cost so far: the frames that a trial costs have
/// to come back within 20 s. Always where rate is not all that counts. Pure.
bool worth_a_trial(double gain, const Facts& facts, const Objective& objective);

/// The trials and looks of a training, in glances, which are shorter than looks. Pure.
double tried(const Facts& facts);

/// How many times as much as at first a trial or a look has to gain after those of this training: a
/// training is to be short. Beyond eight cores after so many of them, with fewer after so many
/// seconds: each thread is a greater part of the rate there, and trials of short frames are few.
/// Pure.
double impatience(const Facts& facts);

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

/// How many cores the driver of a device keeps busy at most. A device that takes more is made of
/// them, or its driver is: beside it they are not what they are alone, and what it computes costs
/// about as much of them as without it.
double most_driver_cores(int cores);
bool is_made_of_cores(const Measurements& measurements);

/// How far objectives are apart where rates are by `rate`: some have the rate in them twice.
double margin_of(const Objective& objective, double rate);

/// How much better `b` is than `a`, as the logarithm of a ratio of rates, or of what goes with
/// them; unknown where there are conditions to meet or latency counts: that is no ratio.
double lead_of(const Prediction& b, const Prediction& a, const Objective& objective);

/// The mean of what a normal variable has above 0, of its mean and spread.
double mean_above_0(double mean, double spread);

}  // namespace tandem
