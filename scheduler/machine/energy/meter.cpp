// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/meter.h"

#include <algorithm>
#include <utility>

#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

std::optional<double> between_j(const CounterReading& first, const CounterReading& second) {
  if (!first.since_open_j || !second.since_open_j || first.breaks != second.breaks) return {};
  return *second.since_open_j - *first.since_open_j;
}

std::optional<double> between_w(const CounterReading& first, const CounterReading& second) {
  const std::optional<double> energy_j = between_j(first, second);
  const double between_s = seconds(second.at - first.at);
  if (!energy_j || between_s <= 0) return std::nullopt;
  return *energy_j / between_s;
}

}  // namespace

CounterReading& CounterReading::operator+=(const CounterReading& other) {
  since_open_j = since_open_j && other.since_open_j
                     ? std::optional(*since_open_j + *other.since_open_j)
                     : std::nullopt;
  at = std::max(at, other.at);
  breaks += other.breaks;
  return *this;
}

EnergyDomains since_open_j(const EnergyReading& reading) {
  return by_domain([](const CounterReading& counter) { return counter.since_open_j; }, reading);
}

std::optional<EnergyReading> known_or_none(const EnergyReading& reading) {
  if (since_open_j(reading) == EnergyDomains{}) return std::nullopt;
  return reading;
}

std::optional<double> total(const EnergyDomains& domains, const PerDomain<bool>& covers) {
  if (covers == PerDomain<bool>{}) return std::nullopt;
  const auto covered =
      by_domain([](std::optional<double> value, bool counts) { return counts ? value : 0.0; },
                domains, covers);
  if (!covered.c || !covered.g || !covered.u) return std::nullopt;
  return *covered.c + *covered.g + *covered.u;
}

EnergyDomains energy_between_j(const EnergyReading& first, const EnergyReading& second) {
  return by_domain(between_j, first, second);
}

EnergyDomains power_between_w(const EnergyReading& first, const EnergyReading& second) {
  return by_domain(between_w, first, second);
}

double MeterDescription::coarsest_resolution_s() const {
  return std::max({resolution_s.c, resolution_s.g, resolution_s.u});
}

void MessageBox::tell_once(const std::string& key, std::string text) {
  const std::lock_guard lock(mutex_);
  if (told_.insert(key).second) waiting_.push_back(std::move(text));
}

std::vector<std::string> MessageBox::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(waiting_, {});
}

}  // namespace tandem
