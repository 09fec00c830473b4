// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/package_split.h"

#include <algorithm>

namespace tandem {

Tally& Tally::operator+=(const Tally& other) {
  if (since_open_j && other.since_open_j) {
    *since_open_j += *other.since_open_j;
  } else {
    since_open_j.reset();
  }
  at = std::max(at, other.at);
  breaks += other.breaks;
  return *this;
}

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
  const Tally u = rest(tallies);
  reading.since_open_j.u = u.since_open_j;
  reading.at.u = u.at;
  reading.breaks.u = u.breaks;
  if (counters_.cores) {
    reading.since_open_j.c = tallies.cores.since_open_j;
    reading.at.c = tallies.cores.at;
    reading.breaks.c = tallies.cores.breaks;
  }
  if (counters_.device) {
    reading.since_open_j.g = tallies.device.since_open_j;
    reading.at.g = tallies.device.at;
    reading.breaks.g = tallies.device.breaks;
  }
  if (reading.since_open_j == EnergyDomains{}) return std::nullopt;
  return reading;
}

Tally PackageSplit::rest(const PackageTallies& tallies) {
  Tally result = tallies.package;
  if (counters_.memory) result += tallies.memory;
  double taken_j = 0;
  for (const Tally* part :
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
