// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "model/measurements.h"
#include "model/objective.h"

/// What kind of machine and objective a training is for. Pure.
namespace tandem {

/// With so few cores each number of threads is measured, and the model errs most.
inline constexpr int kFewCores = 4;

/// Whether nothing but the rate counts.
bool is_of_rate_alone(const Objective& objective);

/// Seconds that all stages take under medium grain; unknown as long as one was not measured there.
double medium_s(const Measurements& measurements);

/// Whether a device, or its driver, is made of the cores: beside it they are not what they are
/// alone, and what it computes costs about as much of them as without it.
bool is_made_of_cores(const Measurements& measurements);

}  // namespace tandem
