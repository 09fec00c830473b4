// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "scheduler/machine/energy/meter.h"

namespace tandem {

/// Counters of a processor, summed over its packages. `device` is the graphics in the package
/// (RAPL's uncore zone, PP1); `memory` is counted beside the package.
struct PackageTallies {
  CounterReading package{0.0}, cores{0.0}, device{0.0}, memory{0.0};
};

/// Which of these counters there are.
struct PackageCounters {
  bool cores = false;
  bool device = false;  ///< and the OpenCL device is the one in the package
  bool memory = false;
};

/// Splits a package into the domains of Vilches, section III-A: C, G and U = P - C - G. Energy
/// without a counter of its own stays in U, and so does the memory's: the sum of the domains is all
/// that is counted.
class PackageSplit {
 public:
  explicit PackageSplit(const PackageCounters& counters) : counters_(counters) {}

  /// Fills all of the description but the name; `where` is "package-0" or "2 packages".
  void describe(const std::string& where, double resolution_s, MeterDescription& into) const;

  /// Empty while nothing is known.
  std::optional<EnergyReading> split(const PackageTallies& tallies);

 private:
  CounterReading rest(const PackageTallies& tallies);

  PackageCounters counters_;
  // U is a difference of counters that are not read at the same instant: kept from falling.
  double rest_j_ = 0, rest_offset_j_ = 0;
  uint32_t rest_breaks_ = 0;
};

}  // namespace tandem
