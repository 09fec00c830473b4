// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>

#include "model/objective.h"
#include "scheduler/learn/facts/experiment.h"
#include "scheduler/learn/meaning/interpret.h"

namespace tandem {

/// Adds the times of stages, measured one by one, on the devices of a further letter. Nothing is
/// known of letters that took no frame, or that the chain does not have.
void take_letter(const Observation& seen, const Chain& chain, Measurements& measurements);

/// The next experiment with devices of further kinds, the letters h and i; none when all are made.
/// Pure. `findings`: of `facts`.
///
/// All stages of a letter are timed one by one, once. Energies and latencies of several kinds are
/// not predicted: where the objective needs these, further letters are left alone.
std::optional<Plan> next_letter(const Facts& facts, const Findings& findings,
                                const Objective& objective, const Constraints& allowed);

/// A configuration with further letters that promises clearly more than the best that was measured;
/// few are tried. Nothing with further letters is chosen that was not.
std::optional<Configuration> promising_letters(const Facts& facts, const Findings& findings,
                                               const Choice& measured, const Constraints& allowed);

}  // namespace tandem
