// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/probe.h"

#include <ctime>

#include "scheduler/clock.h"

namespace tandem {

Probe read_probe(EnergyMeter* meter) {
  Probe probe;
  probe.now_ns = now_ns();
  timespec cpu{};
  if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
    probe.cpu_s = static_cast<double>(cpu.tv_sec) + 1e-9 * static_cast<double>(cpu.tv_nsec);
  if (meter) probe.energy = meter->read();
  return probe;
}

}  // namespace tandem
