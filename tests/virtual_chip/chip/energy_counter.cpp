// SPDX-License-Identifier: LGPL-2.1-or-later
#include "tests/virtual_chip/chip/energy_counter.h"

#include <cmath>

namespace tandem::test {

EnergyCounter::EnergyCounter(double resolution_s, double pause_s, double begin_s)
    : resolution_s_(resolution_s),
      pause_s_(pause_s),
      now_s_(begin_s),
      next_{begin_s, {}},
      read_(next_) {}

void EnergyCounter::pass(double now_s, const Watts& watts) {
  if (next_.found_s <= now_s) read_ = next_;
  const auto after = [&](double seconds) {
    return Watts{joules_.c + watts.c * seconds, joules_.g + watts.g * seconds,
                 joules_.u + watts.u * seconds};
  };
  const double last_s = std::floor(now_s / resolution_s_) * resolution_s_;
  if (last_s > now_s_)
    next_ = {pause_s_ > 0 ? std::ceil(last_s / pause_s_) * pause_s_ : last_s,
             after(last_s - now_s_)};
  joules_ = after(now_s - now_s_);
  now_s_ = now_s;
  if (next_.found_s <= now_s) read_ = next_;
}

EnergyReading EnergyCounter::reading() const {
  const MeterClock::time_point at{
      std::chrono::nanoseconds(static_cast<int64_t>(std::llround(1e9 * read_.found_s)))};
  return {{read_.joules.c, at}, {read_.joules.g, at}, {read_.joules.u, at}};
}

}  // namespace tandem::test
