// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "scheduler/learn/observation.h"

namespace tandem {

/// Whether it tells as much as a look: by its frames or by how long they were counted.
bool tells_as_a_look(const Observation& seen);

/// What it says of a rate that drifts, where a look of 0.25 s is 1: twice as long says less than
/// twice as much, and several short ones say more than a long one.
double weight_of(const Observation& seen);

/// Whether it lasted as long as a look.
bool tells_at_length(const Observation& seen);

/// How far the rate that one look sees is from that of the next, relative, as all that are
/// tell, each beside the one before it of the same configuration: what changed in the time between
/// belongs to no spread. Experiments are left out: the device woke up meanwhile.
double spread_of_looks(std::span<const Observation> observations);

}  // namespace tandem
