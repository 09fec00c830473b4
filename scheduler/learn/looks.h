// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <vector>

#include "model/objective.h"
#include "scheduler/learn/facts.h"
#include "scheduler/learn/interpret.h"

namespace tandem {

/// Whether it tells as much as a look: by its frames or by how long they were counted.
bool tells_as_a_look(const Observation& seen);

/// How much an observation says of a rate that drifts, where a look of 0.25 s says 1: one that is
/// twice as long says less than twice as much, and several short ones say more than a long one.
double weight_of(const Observation& seen);

/// Takes what `seen` measured, as it stands in `trial.measured`, for a look that ended so long
/// after the training began. `trial.measured` is the mean of all looks then: a look that another
/// follows a second later says half as much as it did, as a device's clocks rise for seconds.
void add_look(Trial& trial, const Observation& seen, double ended_s);

/// Whether it lasted as long as a look.
bool tells_at_length(const Observation& seen);

/// How far the rate that one look sees is from that of the next one of the same configuration,
/// relative, by all trials that tell as much as a look. Experiments are left out: the device woke
/// up meanwhile. Those of a configuration whose threads get in each other's way differ by more, and
/// count as if by kMostApart.
double spread_of_looks(std::span<const Observation> observations);

/// The looks at a configuration, by how much they tell of what matters.
double looks_at(const Configuration& configuration, const Findings& findings,
                const Objective& objective);

/// How far the ratio of what two configurations did is off, as one standard error, relative: by how
/// many looks there were at each. `spread`: spread_of_looks() of all.
double error_of_lead(const Configuration& a, const Configuration& b, double spread,
                     const Findings& findings, const Objective& objective);

}  // namespace tandem
