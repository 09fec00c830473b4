// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "model/correction.h"
#include "model/objective.h"
#include "scheduler/learn/chain.h"

/// What else may be tried: other numbers of threads of what did best.
namespace tandem {

/// Up to so many cores one thread more is much, and trials cost few frames.
inline constexpr int kSomeCores = 8;

/// Between which numbers of threads the best of a mapping with the device may lie, as far as they
/// were tried: in the middle of the wider gap beside the best of them.
std::optional<Configuration> between_the_tried(const Choice& measured,
                                               std::span<const Trial> trials, int cores);

/// Where threads got in each other's way: with how many fewer a mapping may do as expected, and
/// still promises a gain. In the middle of those that do. Of coupled ones with one lane: more lanes
/// fall short with any number of threads.
std::optional<Configuration> before_the_collapse(
    std::span<const Trial> trials, const std::function<bool(const Configuration&)>& promises);

/// How many numbers of threads of the same mapping did much less beside the device than expected,
/// with at most as many lanes: more may be what hinders them.
int collapses(std::span<const Trial> trials, const Configuration& configuration);

/// With up to kSomeCores cores: a thread more or fewer than the best has, it under the other
/// granularity, and other lanes of what is behind it by no more than `near`. Beyond them as many
/// threads as there are cores where one more is best: a driver that waits for the device may keep
/// its core busy. Of coupled mappings, of which the model knows less.
std::optional<Configuration> beside_the_best(const Choice& measured, std::span<const Trial> trials,
                                             const Chain& chain, double near);

/// Where all stages are best on the CPU: a number of threads that may be better still, and that no
/// experiment had.
std::optional<Configuration> more_on_cores(const Choice& measured, const Measurements& measurements,
                                           std::span<const Trial> trials);

/// What no experiment had and the model expects to be best, on the CPU alone: by energy, where the
/// cores were measured beside a device that draws much, and several frames at a time under medium
/// grain.
std::optional<Configuration> expected_on_cores(const Choice& measured, const Choice& all,
                                               std::span<const Trial> trials);

/// The same without cores beside the device.
Configuration device_alone(Configuration configuration, int devices);

/// Where the device alone is best: with as many lanes one thread more, or else the cores together.
/// What they compute is little, but while the device has lanes free each of them fills some: it is
/// another driver. Not where one thread more was in the way with any lanes.
std::optional<Configuration> another_driver(const Choice& measured, std::span<const Trial> trials,
                                            const Chain& chain);

}  // namespace tandem
