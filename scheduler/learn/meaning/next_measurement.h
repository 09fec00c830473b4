// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "model/objective.h"
#include "scheduler/learn/facts/experiment.h"
#include "scheduler/learn/meaning/interpret.h"

namespace tandem {

/// The experiments that the model is made of; none when all are made. Pure. `findings`: of `facts`.
///
/// They are the nC + 3 of Vilches, section III-A, homogeneous runs, fewer where fewer tell as much:
///
/// - The device alone is an experiment of two halves. Its stages one by one tell where the time
///   goes. Whole frames tell how much of it the stages of a frame hide from each other when nobody
///   waits in between. Where the device has lanes, it follows with twice as many each time, X(S),
///   until that gains less than 5%.
///   It comes first: slower configurations are then measured beside it.
/// - Medium grain, which nothing may run beside: after the device, whose frames are soon out.
/// - The cores under coarse grain with few numbers of threads where there are many cores, and the
///   one that is fixed. If the device has a processor of its own (and, with energy in the
///   objective, joules of its own), one core is measured beside it and not alone. So are three
///   quarters of the cores, if all are no faster than the device. The stream then goes on at the
///   rate of the device. Where throughput, efficiency or the energy-delay product counts, one core
///   tells that all of many add little to the device: then that is all. If a frame on a core would
///   hold up the device for 50 ms, its processor time under medium grain tells that already
///   (interpret()). The device has to be faster in each stage than all cores for that.
std::optional<Plan> next_measurement(const Facts& facts, const Findings& findings,
                                     const Objective& objective, const Constraints& allowed);

}  // namespace tandem
