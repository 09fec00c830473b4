// SPDX-License-Identifier: LGPL-2.1-or-later
// The share of least cost of a split frame in closed form, by equation 2 of Stafford. The bin runs
// the balanced share, and searches near it (model/share_search.h).
#pragma once

#include <algorithm>
#include <cmath>

#include "model/objective.h"
#include "model/split.h"

namespace tandem {

/// Equation 2 of Stafford, in joules.
inline double joules_of(const Split& split, double share) {
  return split.static_w * seconds_of(split, share) + split.cores_w * split.cores.seconds(share) +
         split.device_w * split.device.seconds(1 - share);
}

/// Seconds, joules, or joules x seconds, of which the metric prefers the least. Throughput and
/// latency are both seconds, because one frame is computed at a time.
inline double cost_of(const Split& split, double share, Metric metric) {
  switch (metric) {
    case Metric::throughput:
    case Metric::latency:
      return seconds_of(split, share);
    case Metric::energy:
      return joules_of(split, share);
    case Metric::efficiency:  // most of throughput / energy
    case Metric::edp:
      return joules_of(split, share) * seconds_of(split, share);
  }
  return kUnknown;
}

/// The share with the least cost: a multiple of 1 / `bands`, 0 if the device alone is best, 1 if
/// the cores alone are. Unknown if a cost is.
///
/// The candidates are 0, the balanced share and 1. Between them the energy is linear, and the
/// energy-delay product is concave wherever it falls, so that it has no minimum inside
/// (docs/decisions/0021-splitting-a-frame.md).
inline double best_share(const Split& split, Metric metric, int bands = 100) {
  double share = 0, least = cost_of(split, 0, metric);
  const double balanced = bands * balanced_share(split);
  if (!known(balanced) || !known(least)) return kUnknown;
  for (const double at : {std::floor(balanced), std::ceil(balanced), 1.0 * bands}) {
    const double other = std::clamp(at / bands, 0.0, 1.0), cost = cost_of(split, other, metric);
    if (!(cost < least)) continue;
    least = cost;
    share = other;
  }
  return share;
}

}  // namespace tandem
