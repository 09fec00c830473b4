// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "scheduler/machine/energy/meter.h"

namespace tandem {

/// Values that experiments and the controller read at the beginning and the end of a measurement.
struct Probe {
  uint64_t now_ns = 0;
  double cpu_s = 0;  ///< processor time that the whole process has taken; never falls
  std::optional<EnergyReading> energy;
  int processors = 1;         ///< that the process may use
  double others_cpu_s = 0;    ///< the part of cpu_s of the threads of other bins
  uint64_t buffers_made = 0;  ///< by the process, for tensors, on host and devices; never falls
};
using ReadProbe = std::function<Probe()>;

/// The probe of this process and `meter`, which may be null.
Probe read_probe(EnergyMeter* meter);

/// Whether the process used 0.9 or more of the time that all its processors had in between.
bool kept_all_busy(const Probe& begin, const Probe& end);

/// The energy counter's last value may be from before `begin`, up to a resolution earlier: replaces
/// it by the first that is newer, once `now` has it in every domain. True when it did.
bool count_from_new_value(Probe& begin, const Probe& now);

}  // namespace tandem
