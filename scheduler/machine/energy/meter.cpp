// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/meter.h"

#include <algorithm>
#include <utility>

namespace tandem {
namespace {

using Value = std::optional<double> EnergyDomains::*;
using Time = MeterClock::time_point PerDomain<MeterClock::time_point>::*;
using Breaks = uint32_t PerDomain<uint32_t>::*;

std::optional<double> between_j(const EnergyReading& first, const EnergyReading& second,
                                Value value, Breaks breaks) {
  const std::optional<double>& begin = first.since_open_j.*value;
  const std::optional<double>& end = second.since_open_j.*value;
  if (!begin || !end || first.breaks.*breaks != second.breaks.*breaks) return std::nullopt;
  return *end - *begin;
}

std::optional<double> to_watts(std::optional<double> energy_j, const EnergyReading& first,
                               const EnergyReading& second, Time time) {
  const double seconds = std::chrono::duration<double>(second.at.*time - first.at.*time).count();
  if (!energy_j || seconds <= 0) return std::nullopt;
  return *energy_j / seconds;
}

}  // namespace

std::optional<double> total(const EnergyDomains& domains, const PerDomain<bool>& covers) {
  if (covers == PerDomain<bool>{}) return std::nullopt;
  if ((covers.c && !domains.c) || (covers.g && !domains.g) || (covers.u && !domains.u)) {
    return std::nullopt;
  }
  return (covers.c ? *domains.c : 0) + (covers.g ? *domains.g : 0) + (covers.u ? *domains.u : 0);
}

EnergyDomains energy_between_j(const EnergyReading& first, const EnergyReading& second) {
  return {between_j(first, second, &EnergyDomains::c, &PerDomain<uint32_t>::c),
          between_j(first, second, &EnergyDomains::g, &PerDomain<uint32_t>::g),
          between_j(first, second, &EnergyDomains::u, &PerDomain<uint32_t>::u)};
}

EnergyDomains power_between_w(const EnergyReading& first, const EnergyReading& second) {
  using Times = PerDomain<MeterClock::time_point>;
  const EnergyDomains energy = energy_between_j(first, second);
  return {to_watts(energy.c, first, second, &Times::c),
          to_watts(energy.g, first, second, &Times::g),
          to_watts(energy.u, first, second, &Times::u)};
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
