// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "model/objective.h"
#include "scheduler/learn/facts/experiment.h"
#include "scheduler/learn/meaning/interpret.h"

namespace tandem {

/// A training is not to make the stream slower than half of the best rate that is known for longer
/// than 100 ms. Pure: `next` is what to find out, and comes back as
/// - an experiment that may end early where it is slow, as trials do, or
/// - the best so far, for a moment, where what ran last was slow: a rest. `next` comes after it.
///
/// Where frames take 0.1 s or longer there is no rest, which would last longer than what it
/// interrupts. If latency or energy counts, the best may be slow: `next` comes back as it is.
Plan keep_up(Plan next, const Facts& facts, const Findings& findings, const Objective& objective);

/// Frames a second, as they left.
double rate_of(const Observation& seen);

/// The rate at which frames came where the source kept the threads busy, 0 where it never did.
double brought_fps(std::span<const Observation> observations);

}  // namespace tandem
