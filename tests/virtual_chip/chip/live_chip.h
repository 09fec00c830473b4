// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <random>

#include "scheduler/machine/energy/meter.h"
#include "tests/virtual_chip/chip/chip.h"
#include "tests/virtual_chip/chip/energy_counter.h"

namespace tandem::test {

/// A described chip in real time: who computes on it waits for as long as that takes, and an energy
/// meter counts meanwhile. Waiting burns no CPU, so that many cores and a device fit on two.
/// Transfers are not described: they are real ones. Thread-safe.
class LiveChip {
 public:
  enum class Where { core, all_cores, device };

  LiveChip(const Chip& chip, unsigned seed);

  const Chip& chip() const { return chip_; }

  /// Returns when a stage of one frame is done there. All cores and the device take one frame at a
  /// time: the caller sees to that.
  void compute(int stage, Where where);

  std::shared_ptr<EnergyMeter> meter();

  /// From now on everything takes so many times as long as the description says.
  void slow_down(double factor);

 private:
  class Meter;
  // With the lock held:
  double mean_s(int stage, Where where) const;
  void begin_or_end(Where where, int frames);
  double due_s(Where where, double seconds);

  const Chip chip_;
  std::mutex mutex_;  // guards what follows
  std::mt19937 random_;
  std::lognormal_distribution<double> noise_;
  EnergyCounter energy_;
  std::array<int, 3> frames_{};  // by where
  double slower_ = 1;
  double all_cores_due_s_ = 0;  // of who has or had them last
};

}  // namespace tandem::test
