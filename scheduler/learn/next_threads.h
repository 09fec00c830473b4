// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "model/objective.h"
#include "model/trial.h"

/// What else may be tried: other numbers of threads of what did best.
namespace tandem {

/// Between which numbers of threads the best of a mapping with the device may lie, as far as they
/// were tried: in the middle of the wider gap beside the best of them.
std::optional<Configuration> between_the_tried(const Choice& measured,
                                               std::span<const Trial> trials, int cores);

/// Where threads got in each other's way: with how many fewer a mapping may do as expected, and
/// still promises a gain. In the middle of those that do. Of coupled ones with one lane: more lanes
/// fall short with any number of threads.
std::optional<Configuration> before_the_collapse(
    std::span<const Trial> trials, const std::function<bool(const Configuration&)>& promises);

/// Where all stages are best on the CPU: a number of threads that may be better still by `gain`,
/// and that no experiment had.
std::optional<Configuration> more_on_cores(const Choice& measured, const Measurements& measurements,
                                           std::span<const Trial> trials, double gain);

}  // namespace tandem
