// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <span>

#include "model/correction.h"
#include "model/objective.h"
#include "scheduler/learn/facts/chain.h"

namespace tandem {

/// Twice the bands of the best with the device, where nobody tried and a frame has some. Where
/// latency counts alone: lanes overlap copies and kernels of several frames as well. The analytic
/// model knows no bands, so no belief does.
std::optional<Configuration> next_bands(const Choice& measured, std::span<const Trial> trials,
                                        const Chain& chain);

}  // namespace tandem
