// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "model/correction.h"
#include "scheduler/learn/facts/observation.h"

namespace tandem {

/// Takes what `seen` measured, as it stands in `trial.measured`, for a look that ended so long
/// after the training began. `trial.measured` is the mean of all looks then. A rate drifts, so a
/// look that is twice as long as another one says less than twice as much, and one that another
/// follows half a second later says half as much as it did: a device's clocks rise for seconds.
void add_look(Trial& trial, const Observation& seen, double ended_s);

/// Whether it lasted as long as a look.
bool tells_at_length(const Observation& seen);

}  // namespace tandem
