// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "scheduler/machine/energy/meter.h"
#include "tests/virtual_chip/chip/chip.h"

namespace tandem::test {

/// Joules of a chip, counted as chips do: new values come every so often, with the time at which
/// somebody who looks every so often finds them.
class EnergyCounter {
 public:
  /// `pause_s`: between two looks; 0: new values are found at once, with the time that they had.
  /// `begin_s`: on the clock of the readings.
  EnergyCounter(double resolution_s, double pause_s, double begin_s);

  /// From the last call, or the beginning, until now the chip took this much.
  void pass(double now_s, const Watts& watts);

  const Watts& joules() const { return joules_; }  ///< without delay
  EnergyReading reading() const;

 private:
  struct Value {
    double found_s;
    Watts joules;
  };
  const double resolution_s_, pause_s_;
  double now_s_;
  Watts joules_;
  Value next_, read_;  // the newest, and the newest that was found
};

}  // namespace tandem::test
