// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "scheduler/learn/facts/observation.h"

namespace tandem {

/// The cost of so many seconds at so many watts. Power is taken as the same in all stages of an
/// experiment: no counter is fast enough to tell the stages of a frame apart.
Cost cost(double seconds, const Energy& watts);

/// Adds to `m` what cores take for whole frames, and the joules of both sides, where the device
/// waits for the cores and nothing but its stages was measured. Returns false, and adds nothing,
/// where cores computed whole frames or the cores rested beside the device. `apart`: what the
/// device's stages did one by one; `medium_watts`: what was drawn under medium grain.
///
/// One of many busy cores is taken to need so much longer for the device's stages than all cores
/// as it does for the other stages. Where medium grain was not measured all cores are taken to be
/// as fast as the device: next_measurement() leaves it out where they are no faster. Copies overlap
/// with lanes in any case.
bool estimate_cores(const Chain& chain, const Observation& apart, const Energy& medium_watts,
                    Measurements& m);

/// The same where medium grain alone was measured on the cores: each stage takes of a core what it
/// takes there of the processor time of a frame, `cpu_s`. Other threads of the process may make
/// that too long, but no longer than all cores were at work.
bool estimate_cores_of_medium(double cpu_s, const Energy& medium_watts, Measurements& m);

/// Adds to `m` what cores take for the stages that they can compute, where no core can compute
/// whole frames.
void add_up_cores(const Energy& medium_watts, Measurements& m);

}  // namespace tandem
