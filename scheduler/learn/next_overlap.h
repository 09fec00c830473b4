// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <span>

#include "model/correction.h"
#include "model/lane_prior.h"
#include "model/objective.h"
#include "scheduler/learn/chain.h"

/// What else may be tried so that the copies and kernels of a device overlap.
namespace tandem {

/// Twice or half of the lanes of the best with the device, where nobody tried.
std::optional<Configuration> other_lanes(const Choice& measured, std::span<const Trial> trials,
                                         int most);

/// Twice the bands of the best with the device, where nobody tried and a frame has some. Where
/// latency counts alone: lanes overlap copies and kernels of several frames as well. None either
/// where it has as many as `prior` names, and these gain no more than it expects: no prior has
/// more of them tried than none.
std::optional<Configuration> other_tasks(const Choice& measured, std::span<const Trial> trials,
                                         const Chain& chain, const LanePrior& prior);

}  // namespace tandem
