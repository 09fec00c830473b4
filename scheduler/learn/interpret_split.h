// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "scheduler/learn/chain.h"
#include "scheduler/learn/observation.h"

namespace tandem {

/// Of the domains that the meter covers, all together; unknown where one of them is, or none.
double watts_of(const Energy& power, const Domains& domains);

/// What was drawn with a whole frame on all cores, and with one on the device.
struct WattsOfWholes {
  Energy cores, device;
};

/// Whether both sides computed rows of one frame at a time, with all stages split that can be.
bool is_whole_split(const Observation& seen, const Chain& chain);

/// What frames took on both sides, from such experiments in the order in which they were made; at
/// least one. Both sides at work tell what either takes for its rows: the line through the latest
/// two shares, or through one and the whole frames of `measurements`, which each side computed
/// alone. The share to run is that of the latest experiment where the line promises no more than a
/// point or two.
Split split_of(std::span<const Observation> seen, const Chain& chain,
               const Measurements& measurements, const WattsOfWholes& wholes);

}  // namespace tandem
