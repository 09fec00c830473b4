// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <memory>
#include <vector>

#include "scheduler/machine/energy/meter.h"

namespace tandem {

/// Takes each domain from the first of `meters` that covers it. At least one meter.
std::unique_ptr<EnergyMeter> combine_meters(std::vector<std::unique_ptr<EnergyMeter>> meters);

/// Adds up meters that cover the same domains, one for each of several devices. At least one meter.
std::unique_ptr<EnergyMeter> sum_meters(std::vector<std::unique_ptr<EnergyMeter>> meters);

}  // namespace tandem
