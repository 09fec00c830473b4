// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/probe.h"

#include "scheduler/machine/clock.h"
#include "scheduler/machine/cores.h"

namespace tandem {
namespace {

constexpr double kAllBusy = 0.9;

}  // namespace

Probe read_probe(EnergyMeter* meter) {
  static const int processors = usable_processors();
  Probe probe;
  probe.processors = processors;
  probe.now_ns = now_ns();
  probe.cpu_s = processor_time_s(CLOCK_PROCESS_CPUTIME_ID);
  if (meter) probe.energy = meter->read();
  return probe;
}

bool kept_all_busy(const Probe& begin, const Probe& end) {
  const double processors_s = end.processors * seconds(end.now_ns - begin.now_ns);
  return end.cpu_s - begin.cpu_s >= kAllBusy * processors_s;
}

bool count_from_new_value(Probe& begin, const Probe& now) {
  if (!begin.energy || !now.energy) return false;
  const auto is_old = [](const CounterReading& before, const CounterReading& after) {
    return after.since_open_j && after.at <= before.at;
  };
  if (by_domain(is_old, *begin.energy, *now.energy) != PerDomain<bool>{}) return false;
  begin.energy = now.energy;
  return true;
}

}  // namespace tandem
