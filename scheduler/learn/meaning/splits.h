// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "model/share_search.h"
#include "scheduler/learn/facts/experiment.h"
#include "scheduler/learn/meaning/interpret.h"

namespace tandem {

/// The sum over the domains that the meter covers; unknown where one of them is, or for none.
double watts_of(const Energy& power, const Domains& domains);

/// Watts with a whole frame on all cores, and with one on the device.
struct WattsOfWholes {
  Energy cores, device;
};

/// Whether both sides computed rows of one frame at a time, with all stages split that can be.
bool is_whole_split(const Observation& seen, const Chain& chain);

/// Seconds that each side alone takes for all rows of the stages that can be split.
WholesAlone wholes_alone(const Chain& chain, const Measurements& measurements);

/// Times of frames with each share, without the stages that are not split, from such experiments.
/// Empty where the device took no rows.
std::vector<ShareTried> shares_tried(std::span<const Observation> seen, const Chain& chain);

/// The split found by such experiments, of which there is at least one. Its share has the least
/// time and is the one to run. Times of each side hold near that share, and exactly at it.
Split split_of(std::span<const Observation> seen, const Chain& chain,
               const Measurements& measurements, const WattsOfWholes& wholes);

/// The experiments with frames on both sides, after those of next_measurement(); none when the
/// share is found, or when a split cannot gain what it has to. Pure. `findings`: of `facts`.
///
/// The first gives each side half of the rows, the others the shares of next_share(). A split that
/// would gain too little even without fixed times is not tried. Nor is another share that looks
/// slower by more than the expectation may err. Both are if `allowed` fixes the mapping.
std::optional<Plan> next_split(const Facts& facts, const Findings& findings,
                               const Objective& objective, const Constraints& allowed);

}  // namespace tandem
