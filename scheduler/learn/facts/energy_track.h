// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <vector>

#include "model/objective.h"
#include "model/power_fit.h"
#include "scheduler/frame_times.h"
#include "scheduler/learn/facts/observation.h"
#include "scheduler/machine/probe.h"

namespace tandem {

/// Seconds for which cores and devices computed a frame, summed over them.
Busy busy_of(const FrameTimes& times, uint32_t device_stages, const Chain& chain);
/// Limits `busy` to all cores and devices at work for `lasted_s`.
Busy at_most_all(Busy busy, double lasted_s, const Chain& chain);

/// New values of a counter that watts need: fewer tell as much of what ran before. Values come a
/// tenth sooner or later than they are due.
inline constexpr double kCounterSteps = 1.8;

/// Whether energies come from EnergyTrack: the counter is so fast that a training sees enough of
/// its steps.
bool regresses_energy(const Chain& chain, const Objective& objective);
/// How long an experiment or a look lasts at least, in seconds, so that a slower counter tells of
/// it; 0 where none is waited for.
double counter_seconds(const Chain& chain, const Objective& objective);

/// A kind of configurations that draw alike, whatever their number of threads. Stages that are
/// waited for one by one leave the device idle in between.
struct DrawnAlike {
  Configuration configuration;  ///< with one thread
  bool stages_apart;

  bool operator==(const DrawnAlike&) const = default;
};

/// The power of each domain, fitted to a training.
struct PowerFits {
  PowerFit c, g, u;
  std::vector<DrawnAlike> kinds = {};  ///< as PowerFit::own
};

/// The steps of the energy counter over a whole training, and what was busy in each of them. One
/// experiment is too short for a counter with a value every 100 ms. All steps together tell the
/// power of a busy core and of a busy device of each kind, and how much more or less each kind of
/// configuration draws. State in, decision out, as Experiment.
class EnergyTrack {
 public:
  explicit EnergyTrack(const Chain& chain) : chain_(chain) {}

  /// Takes a finished frame, in the order of the stream. Reads the probe every few milliseconds.
  void take(const FrameTimes& times, uint32_t device_stages, const ReadProbe& read_probe);
  PowerFits fits() const;

 private:
  /// The counter of one domain, when it had a value.
  struct Value {
    uint64_t at_ns;
    double joules;
    uint32_t breaks;
  };
  using Values = std::vector<Value>;

  void add(Values& values, const CounterReading& counter);
  std::vector<PowerStep> steps(const Values& values) const;
  void ran(const FrameTimes& times, std::size_t bin);
  std::vector<double> parts_of(uint64_t from_ns, uint64_t until_ns) const;
  Busy busy_until(uint64_t ns, const std::vector<Busy>& sums) const;

  Chain chain_;
  uint64_t first_ns_ = 0;   ///< when the first frame was begun
  uint64_t begun_ns_ = 0;   ///< and the last one: all that was busy before that has been taken
  uint64_t probed_ns_ = 0;  ///< when the probe was read last
  std::vector<Busy> bins_;  ///< kBinNs each
  std::vector<std::size_t> ran_;  ///< in each bin: the place in `kinds_`
  std::vector<DrawnAlike> kinds_;
  Values c_, g_, u_;
};

/// Adds watts to observations during which the counter had too few values: the fits predict them
/// from what ran and what was busy. An experiment of which the fit is not sure gets the watts of
/// all at work, so that it takes part in choices and does not seem to draw nothing. A trial with
/// too few steps gets none: the model's power is nearer.
std::vector<Observation> with_watts(std::vector<Observation> observations, const PowerFits& fits);

}  // namespace tandem
