// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>
#include <string>

#include "tests/virtual_chip/chip/chip.h"

namespace tandem::test {

/// One row of Table V of Vilches, word for word: throughput in frames/s, or throughput/energy in
/// (frames/s)/J.
struct PaperRow {
  double cpu_mg, cpu_cg, gpu;  ///< one side alone
  double baseline, best;       ///< both sides
  double improvement_percent;  ///< of the best over the baseline
  const char* best_configuration;

  bool best_is_coarse() const;
};

/// An application on a processor: two rows of the table, and what the text says beside it.
struct PaperCase {
  const char* application;
  const char* processor;
  PaperRow throughput, efficiency;
  /// What the baseline puts on the device. From the text (section V-B) for ViVid and Tracking;
  /// assumed for SRAD, of which it says only that it is not the best one, gcgggg.
  const char* baseline_mapping;
};

std::span<const PaperCase> table_v();

/// A chip on which one side alone does what the paper measured. What the table does not say is
/// assumed, by the same rules for every case: see the comments in table_v.cpp.
Chip chip_of(const PaperCase& one);

}  // namespace tandem::test
