// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "model/objective.h"
#include "scheduler/learn/facts.h"

namespace tandem {

/// Whether a trial that may gain so much, as a part of the best rate that was measured, is worth
/// what trials of this training cost so far. The frames that a trial costs have to come back within
/// 20 s, and each trial since the last one that gained makes it less likely that the next one does.
/// Always where rate is not all that counts. Pure.
bool worth_a_trial(double gain, const Facts& facts, const Objective& objective);

}  // namespace tandem
