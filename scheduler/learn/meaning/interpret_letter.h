// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "model/measurements.h"
#include "scheduler/learn/facts/chain.h"
#include "scheduler/learn/facts/observation.h"

namespace tandem {

/// Takes up what stages, timed one by one, take of the devices of a further letter. Nothing is
/// known of letters that took no frame, or that the chain does not have.
void take_letter(const Observation& seen, const Chain& chain, Measurements& measurements);

}  // namespace tandem
