// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/energy/power_model.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "files/parse_number.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

constexpr double kMostW = 10000;

[[noreturn]] void refuse(std::string_view text, const std::string& why) {
  throw std::invalid_argument(
      "power model '" + std::string(text) + "': " + why +
      "; expected watts by domain, static+dynamic, as in c=12+35,g=8+150,u=6");
}

std::string quoted(std::string_view text) {
  std::string result("'");
  result += text;
  result += '\'';
  return result;
}

double parse_watts(std::string_view whole, std::string_view number) {
  const double watts = parse_number<double>(number, std::chars_format::fixed).value_or(-1);
  if (!(watts >= 0) || watts > kMostW) {
    refuse(whole, quoted(number) + " is not a number of watts from 0 to 10000");
  }
  return watts;
}

DomainPower parse_domain(std::string_view whole, std::string_view value) {
  const std::size_t plus = value.find('+');
  DomainPower power;
  power.static_w = parse_watts(whole, value.substr(0, plus));
  if (plus != value.npos) power.dynamic_w = parse_watts(whole, value.substr(plus + 1));
  return power;
}

std::optional<double> energy_j(const std::optional<DomainPower>& power, double elapsed_s,
                               double busy_s) {
  if (!power) return std::nullopt;
  return power->static_w * elapsed_s + power->dynamic_w * busy_s;
}

}  // namespace

PowerModel parse_power_model(std::string_view text) {
  PowerModel model;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t comma = rest.find(',');
    const std::string_view part = rest.substr(0, comma);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    if (part.size() < 2 || part[1] != '=') refuse(text, "no domain in " + quoted(part));
    std::optional<DomainPower>* domain = part[0] == 'c'   ? &model.c
                                         : part[0] == 'g' ? &model.g
                                         : part[0] == 'u' ? &model.u
                                                          : nullptr;
    if (!domain) refuse(text, quoted(part.substr(0, 1)) + " is not a domain (c, g or u)");
    if (*domain) refuse(text, quoted(part.substr(0, 1)) + " is given twice");
    *domain = parse_domain(text, part.substr(2));
  }
  if (!model.c && !model.g && !model.u) refuse(text, "it has no domain");
  return model;
}

EnergyDomains modelled_energy_j(const PowerModel& model, double elapsed_s, const BusyTimes& busy) {
  return {energy_j(model.c, elapsed_s, busy.cores_s), energy_j(model.g, elapsed_s, busy.device_s),
          energy_j(model.u, elapsed_s, busy.cores_s)};
}

PowerModelMeter::PowerModelMeter(const PowerModel& model, std::function<BusyTimes()> busy)
    : model_(model), busy_(std::move(busy)) {
  constexpr double kResolutionS = 0.001;  // of the clocks of threads and devices, and room
  description_.name = "model";
  description_.modelled = true;
  description_.covers = {model.c.has_value(), model.g.has_value(), model.u.has_value()};
  description_.resolution_s =
      by_domain([](bool covers) { return covers ? kResolutionS : 0; }, description_.covers);
  std::string domains;
  if (model.c) domains += ", cores (C)";
  if (model.g) domains += ", device (G)";
  if (model.u) domains += ", rest (U)";
  description_.coverage = "modelled from configured watts, not measured: " + domains.substr(2);
}

std::optional<EnergyReading> PowerModelMeter::read_at(MeterClock::time_point now) {
  const BusyTimes busy = busy_();
  if (!opened_at_) {
    opened_at_ = now;
    first_busy_ = busy;
  }
  const EnergyDomains joules =
      modelled_energy_j(model_, seconds(now - *opened_at_),
                        {busy.cores_s - first_busy_.cores_s, busy.device_s - first_busy_.device_s});
  return by_domain(
      [now](std::optional<double> all_j) {
        return CounterReading{all_j, now};
      },
      joules);
}

double process_busy_s(int cores) {
  return processor_time_s(CLOCK_PROCESS_CPUTIME_ID) / std::max(1, cores);
}

}  // namespace tandem
