// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "scheduler/learn/run/controller.h"
#include "tests/virtual_chip/chip/simulation.h"

namespace tandem::test {

/// The controller and the trainer on a simulated chip: what tandembin is, without threads and time.
class SimulatedBin {
 public:
  /// The chip must outlive it.
  SimulatedBin(const Chip& chip, unsigned seed, const Objective& objective,
               double max_overhead = 0.05);

  /// Frames of another kind come; nothing else about them changes.
  void frames_changed(const std::string& kind) { frames_changed(Conditions{kind}); }
  void frames_changed(const Conditions& conditions);
  void device_failed();
  /// Is told of each training that ended.
  void trained(std::function<void(const Conditions&, const Learnt&)> tell);
  /// What another bin learnt. For before frames_changed().
  void know(std::vector<Known> known) { controller_->know(std::move(known)); }
  /// Prints each experiment and each trial when it is over.
  void print_what_is_tried();
  /// Lets frames flow until something is decided. False when that takes more than `most` frames.
  bool run_to_decision(int most);
  void run_until(double now_s);
  void next();  ///< one more frame leaves

  Simulation& simulation() { return simulation_; }
  const Controller& controller() const { return *controller_; }
  const std::vector<Decision>& decisions() const { return decisions_; }

 private:
  const Chip& chip_;
  Simulation simulation_;
  std::unique_ptr<Controller> controller_;
  std::vector<Decision> decisions_;
};

}  // namespace tandem::test
