// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "scheduler/learn/observation.h"

namespace tandem {

/// Whether it tells as much as a look: by its frames or by how long they were counted.
bool tells_as_a_look(const Observation& seen);

/// How much an observation says of a rate that drifts, where a look of 0.25 s says 1: one that is
/// twice as long says less than twice as much, and several short ones say more than a long one.
double weight_of(const Observation& seen);

/// Whether it lasted as long as a look.
bool tells_at_length(const Observation& seen);

/// How far the rate that one look sees is from that of the next one of the same configuration,
/// relative, by all trials that tell as much as a look. Experiments are left out: the device woke
/// up meanwhile.
double spread_of_looks(std::span<const Observation> observations);

}  // namespace tandem
