// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/energy_counter.h"

#include <cmath>

namespace tandem::test {

EnergyCounter::EnergyCounter(double resolution_s, double begin_s)
    : resolution_s_(resolution_s), now_s_(begin_s), read_s_(begin_s) {}

void EnergyCounter::pass(double now_s, const Watts& watts) {
  const auto after = [&](double seconds) {
    return Watts{joules_.c + watts.c * seconds, joules_.g + watts.g * seconds,
                 joules_.u + watts.u * seconds};
  };
  const double last_s = std::floor(now_s / resolution_s_) * resolution_s_;
  if (last_s > now_s_) {
    read_j_ = after(last_s - now_s_);
    read_s_ = last_s;
  }
  joules_ = after(now_s - now_s_);
  now_s_ = now_s;
}

EnergyReading EnergyCounter::reading() const {
  const MeterClock::time_point at{
      std::chrono::nanoseconds(static_cast<int64_t>(std::llround(1e9 * read_s_)))};
  EnergyReading reading;
  reading.since_open_j = {read_j_.c, read_j_.g, read_j_.u};
  reading.at = {at, at, at};
  return reading;
}

}  // namespace tandem::test
