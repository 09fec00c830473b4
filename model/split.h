// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "model/measurements.h"

namespace tandem {

/// The line through what a side took for two parts of the rows. Where noise turns it so far that
/// fewer rows or none would take less than nothing, the line through one of the points: the second.
SplitSide side_of(double part, double seconds, double second_part, double second_seconds);

/// Equation 1 of Stafford with fixed times: the slower side decides. `share`: the part of the rows
/// that the cores compute, 0 ... 1.
double seconds_of(const Split& split, double share);

/// The share for which both sides take as long, (a_G - a_C + W/S_G) / (W/S_C + W/S_G) with fixed
/// times a; below 0 or above 1 where one side alone is faster than any split.
double balanced_share(const Split& split);

/// The balanced share in percent, 1 ... 99, where a split promises to be faster than both sides
/// alone; else 0. What was measured errs. Where a row more costs one side much more than it spares
/// the other, the share is rounded so that the steep side gets less.
int share_to_run(const Split& split);

/// The watts of equation 2 from three measurements: a frame on the cores alone, one on the device
/// alone, and one on both sides, of which each was busy for a part of the time. Unknown where both
/// were busy for so little or so much of it that noise would decide.
struct SplitWatts {
  double static_w = kUnknown, cores_w = kUnknown, device_w = kUnknown;
};
SplitWatts watts_of_split(double on_cores_w, double on_device_w, double on_both_w,
                          double cores_busy, double device_busy);

}  // namespace tandem
