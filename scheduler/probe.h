// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "scheduler/energy/meter.h"

namespace tandem {

/// What the trainer and the controller read at the beginning and the end of what they measure.
struct Probe {
  uint64_t now_ns = 0;
  double cpu_s = 0;  ///< processor time that the whole process has taken; never falls
  std::optional<EnergyReading> energy;
};
using ReadProbe = std::function<Probe()>;

/// Of this process and `meter`, which may be null.
Probe read_probe(EnergyMeter* meter);

}  // namespace tandem
