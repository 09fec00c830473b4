// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "model/measurements.h"

namespace tandem {

/// The line through a side's times for two parts of the rows. If noise makes a coefficient of it
/// negative, that coefficient is 0 and the line passes through the second point alone.
SplitSide side_of(double part, double seconds, double second_part, double second_seconds);

/// Equation 1 of Stafford with fixed times: the slower side decides. `share`: the part of the rows
/// that the cores compute, 0 ... 1.
double seconds_of(const Split& split, double share);

/// The share for which both sides take as long, (a_G - a_C + W/S_G) / (W/S_C + W/S_G) with fixed
/// times a. It is below 0 or above 1 where one side alone is faster than any split.
double balanced_share(const Split& split);

/// The balanced share in percent, 1 ... 99, where a split promises to be faster than both sides
/// alone; else 0. Measurements err. Where a row more costs one side much more than it spares the
/// other, the share is rounded so that the steep side gets less.
int share_to_run(const Split& split);

/// The watts of equation 2 from frames on the cores alone, on the device alone and on both sides,
/// each of which was busy for a part of the time. Unknown where both were busy for so little or so
/// much of it that noise would decide.
struct SplitWatts {
  double static_w = kUnknown, cores_w = kUnknown, device_w = kUnknown;
};
SplitWatts watts_of_split(double on_cores_w, double on_device_w, double on_both_w,
                          double cores_busy, double device_busy);

}  // namespace tandem
