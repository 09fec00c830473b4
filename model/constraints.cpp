// SPDX-License-Identifier: LGPL-2.1-or-later
// Which configurations a choice may take.
#include <algorithm>

#include "model/configuration.h"

namespace tandem {

bool Constraints::operator()(const Configuration& configuration) const {
  if (device_only != 0 && (device_only & ~configuration.mapping.device_stages()) != 0) return false;
  if (mapping && configuration.mapping != *mapping) return false;
  if (granularity && configuration.granularity != *granularity) return false;
  if (granularity == Granularity::medium && configuration.frames_at_once != frames_at_once)
    return false;
  const bool split = configuration.mapping.any_split();
  if (split && cpu_share && configuration.cpu_share != *cpu_share) return false;
  if (lanes && configuration.mapping.any_device() && !split && configuration.lanes != *lanes)
    return false;
  if (tasks && configuration.mapping.any_device() && !split && configuration.tasks != *tasks)
    return false;
  if (!lanes && most_lanes > 0 && configuration.lanes > most_lanes) return false;
  if (!threads && most_cores > 0) {
    if (configuration.granularity == Granularity::medium)
      return granularity.has_value() || (mapping && mapping->any_split());
    return configuration.threads <= most_cores + (configuration.mapping.any_device() ? 1 : 0);
  }
  return !threads ||
         (configuration.granularity == Granularity::coarse && configuration.threads == *threads);
}

bool Constraints::fixed() const {
  if (mapping && mapping->any_split()) return cpu_share.has_value();
  if (mapping && mapping->any_further_letter()) return true;
  return mapping && (threads || granularity == Granularity::medium);
}

std::string Constraints::contradiction() const {
  if (!mapping || !mapping->any_split()) return {};
  const std::string name = "mapping '" + to_string(*mapping) + "' splits stages";
  if (threads || granularity == Granularity::coarse)
    return name + ", which needs medium grain: leave granularity open or make it mg";
  if (cpu_share == 0) return name + ", but nothing may be split";
  if (cpu_share && (*cpu_share < 1 || *cpu_share > 99))
    return name + ": the CPU's share of the rows is 1 to 99 percent, not " +
           std::to_string(*cpu_share);
  return {};
}

Configuration Constraints::fallback(int stages, int cores) const {
  Configuration configuration{mapping.value_or(Mapping{device_only, stages}),
                              granularity.value_or(Granularity::coarse), 0};
  if (configuration.mapping.any_split()) {
    configuration.granularity = Granularity::medium;
    configuration.cpu_share = cpu_share.value_or(kHalfOfTheRows);
  }
  if (configuration.granularity == Granularity::medium)
    configuration.frames_at_once = granularity ? frames_at_once : 1;
  // The thread that waits for the device needs no core.
  const int used = most_cores > 0 ? std::min(cores, most_cores) : cores;
  configuration.threads = threads.value_or(used + (configuration.mapping.any_device() ? 1 : 0));
  configuration.lanes = lanes.value_or(1);
  configuration.tasks = configuration.mapping.any_split() ? 1 : tasks.value_or(1);
  return configuration;
}

}  // namespace tandem
