// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "scheduler/machine/energy/meter.h"

namespace tandem {

/// Watts of one domain: `static_w` all the time, `dynamic_w` more while it computes.
struct DomainPower {
  double static_w = 0, dynamic_w = 0;
};

/// Stafford, equation 2: energy from static and dynamic power and busy times. A domain that is not
/// configured is unknown.
struct PowerModel {
  std::optional<DomainPower> c;  ///< dynamic_w with all cores busy
  std::optional<DomainPower> g;
  std::optional<DomainPower> u;  ///< dynamic_w while the cores are busy, as c
};

/// Seconds of computing. For the cores the sum over cores, divided by their number.
struct BusyTimes {
  double cores_s = 0, device_s = 0;
};

/// Reads "c=12+35,g=8+150,u=6": static + dynamic watts by domain, dynamic 0 when left out.
/// Throws std::invalid_argument that shows what is expected.
PowerModel parse_power_model(std::string_view text);

/// Stafford, equation 2, by domain: P^S T + P^D T_busy, in joules.
EnergyDomains modelled_energy_j(const PowerModel& model, double elapsed_s, const BusyTimes& busy);

/// A meter that computes instead of measuring; its description says so.
class PowerModelMeter final : public EnergyMeter {
 public:
  /// `busy` gives busy times since any fixed moment; it is called by read() and must be quick.
  PowerModelMeter(const PowerModel& model, std::function<BusyTimes()> busy);

  std::optional<EnergyReading> read() override { return read_at(MeterClock::now()); }
  /// The same with the time given, for tests.
  std::optional<EnergyReading> read_at(MeterClock::time_point now);

 private:
  PowerModel model_;
  std::function<BusyTimes()> busy_;
  BusyTimes first_busy_;
  std::optional<MeterClock::time_point> opened_at_;
};

/// Seconds that this process's threads have computed, divided by `cores`.
double process_busy_s(int cores);

}  // namespace tandem
