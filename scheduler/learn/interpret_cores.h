// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "scheduler/learn/chain.h"
#include "scheduler/learn/observation.h"

namespace tandem {

/// Power is taken as the same in all stages of an experiment: no counter is fast enough to tell the
/// stages of a frame apart.
Cost cost(double seconds, const Energy& watts);

/// Of a device that waits for the cores nothing but its stages is measured: adds what cores take
/// for whole frames to `m`, and the watts of both sides, with those under medium grain. On one of
/// many busy cores the device's stages take so much longer than on all as the other stages do,
/// which were seen there. Where they were not the device is taken to be as fast as all cores:
/// next_measurement() leaves them out where it is at least that. Copies overlap with lanes all the
/// same. `apart`: of the device's stages one by one. Whether that is what was measured, and no core
/// computed whole frames.
bool estimate_cores(const Chain& chain, const Observation& apart, const Energy& medium_watts,
                    Measurements& m);

/// The same where no core can compute whole frames, of the stages that the CPU can compute.
void add_up_cores(const Energy& medium_watts, Measurements& m);

}  // namespace tandem
