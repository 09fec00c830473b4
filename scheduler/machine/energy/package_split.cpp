// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/package_split.h"

#include <algorithm>

namespace tandem {

void PackageSplit::describe(const std::string& where, double resolution_s,
                            MeterDescription& into) const {
  into.covers = {counters_.cores, counters_.device, true};
  into.resolution_s = {counters_.cores ? resolution_s : 0, counters_.device ? resolution_s : 0,
                       resolution_s};
  std::string text = where + ": ";
  if (counters_.cores) text += "cores (C), ";
  if (counters_.device) text += "device (G), ";
  text += counters_.cores ? "rest" : "rest with the cores, which have no counter of their own,";
  if (counters_.memory) text += " and memory";
  into.coverage = text + " (U)";
}

std::optional<EnergyReading> PackageSplit::split(const PackageTallies& tallies) {
  EnergyReading reading;
  reading.u = rest(tallies);
  if (counters_.cores) reading.c = tallies.cores;
  if (counters_.device) reading.g = tallies.device;
  return known_or_none(reading);
}

CounterReading PackageSplit::rest(const PackageTallies& tallies) {
  CounterReading result = tallies.package;
  if (counters_.memory) result += tallies.memory;
  double taken_j = 0;
  for (const CounterReading* part :
       {counters_.cores ? &tallies.cores : nullptr, counters_.device ? &tallies.device : nullptr}) {
    if (!part) continue;
    result.breaks += part->breaks;
    if (!part->since_open_j) result.since_open_j.reset();
    taken_j += part->since_open_j.value_or(0);
  }
  if (!result.since_open_j) return result;
  const double difference_j = *result.since_open_j - taken_j;
  if (result.breaks != rest_breaks_) {
    rest_breaks_ = result.breaks;
    rest_offset_j_ = rest_j_ - difference_j;
  }
  rest_j_ = std::max(rest_j_, difference_j + rest_offset_j_);
  result.since_open_j = rest_j_;
  return result;
}

}  // namespace tandem
