// SPDX-License-Identifier: LGPL-2.1-or-later
#include "model/configuration.h"

#include <algorithm>

namespace tandem {

std::string parse_mapping(std::string_view text, int stages, Mapping& mapping) {
  if (static_cast<int>(text.size()) != stages) {
    return "mapping '" + std::string(text) + "' has " + std::to_string(text.size()) +
           " letters, but there are " + std::to_string(stages) +
           " stages: write one letter a stage, g (device) or c (CPU)";
  }
  Mapping parsed{0, stages};
  for (int k = 0; k < stages; ++k) {
    if (text[k] == 'g') {
      parsed.device_stages |= 1u << k;
    } else if (text[k] != 'c') {
      return "mapping '" + std::string(text) + "' has the letter '" + text[k] +
             "': only g (device) and c (CPU) are known";
    }
  }
  mapping = parsed;
  return {};
}

std::string to_string(const Mapping& mapping) {
  std::string text;
  for (int k = 0; k < mapping.stages; ++k) text += mapping.on_device(k) ? 'g' : 'c';
  return text;
}

std::string to_string(const Configuration& configuration) {
  std::string text = to_string(configuration.mapping);
  text += configuration.granularity == Granularity::medium
              ? "/mg"
              : "/cg" + std::to_string(configuration.threads);
  const bool several = configuration.mapping.any_device() && configuration.lanes > 1;
  return several ? text + "/q" + std::to_string(configuration.lanes) : text;
}

bool Allowed::operator()(const Configuration& configuration) const {
  if (mapping && configuration.mapping != *mapping) return false;
  if (granularity && configuration.granularity != *granularity) return false;
  if (lanes && configuration.mapping.any_device() && configuration.lanes != *lanes) return false;
  if (!lanes && most_lanes > 0 && configuration.lanes > most_lanes) return false;
  if (!threads && most_cores > 0) {
    if (configuration.granularity == Granularity::medium) return granularity.has_value();
    return configuration.threads <= most_cores + (configuration.mapping.any_device() ? 1 : 0);
  }
  return !threads ||
         (configuration.granularity == Granularity::coarse && configuration.threads == *threads);
}

bool Allowed::fixed() const { return mapping && (threads || granularity == Granularity::medium); }

Configuration Allowed::fallback(int stages, int cores) const {
  Configuration configuration{mapping.value_or(Mapping{0, stages}),
                              granularity.value_or(Granularity::coarse), 0};
  // The thread that waits for the device needs no core.
  const int used = most_cores > 0 ? std::min(cores, most_cores) : cores;
  configuration.threads = threads.value_or(used + (configuration.mapping.any_device() ? 1 : 0));
  configuration.lanes = lanes.value_or(1);
  return configuration;
}

std::vector<Configuration> all_configurations(int stages, int cores, uint32_t device_capable,
                                              std::span<const int> lanes) {
  std::vector<Configuration> all;
  for (uint32_t bits = 0; bits < 1u << stages; ++bits) {
    if ((bits & ~device_capable) != 0) continue;
    const Mapping mapping{bits, stages};
    for (const int s : bits == 0 ? std::span<const int>(kOneLane) : lanes) {
      for (int n = 1; n <= cores + 1; ++n) all.push_back({mapping, Granularity::coarse, n, s});
      all.push_back({mapping, Granularity::medium, cores + 1, s});
    }
  }
  return all;
}

}  // namespace tandem
