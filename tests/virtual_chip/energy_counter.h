// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "scheduler/machine/energy/meter.h"
#include "tests/virtual_chip/chip.h"

namespace tandem::test {

/// Joules of a chip, counted as chips do: new values come every so often, with the time that they
/// had then.
class EnergyCounter {
 public:
  /// `begin_s`: on the clock of the readings.
  EnergyCounter(double resolution_s, double begin_s);

  /// From the last call, or the beginning, until now the chip took this much.
  void pass(double now_s, const Watts& watts);

  const Watts& joules() const { return joules_; }  ///< without delay
  EnergyReading reading() const;

 private:
  const double resolution_s_;
  double now_s_, read_s_;
  Watts joules_, read_j_;
};

}  // namespace tandem::test
