// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/configuration.h"
#include "model/measurements.h"
#include "model/overhead.h"
#include "scheduler/item.h"

namespace tandem {

/// The nC + 3 experiments of paper 1, section III-A, on frames of the stream: coarse grain with
/// 1 ... nC + 1 threads, the device alone, medium grain, each a homogeneous run. State in, decision
/// out: it knows no clock and starts no thread; whoever owns the executor asks for the
/// configuration to run, and hands it every frame's times.
///
/// An experiment ends when its samples last kLeastSeconds and each thread gave kLeastRounds of
/// them, the first frame of each thread not counted: it pays for memory that is touched for the
/// first time and for a device that wakes up. It ends in any case at kMostSeconds once there is one
/// sample.
class Trainer {
 public:
  static constexpr double kLeastSeconds = 0.05;
  static constexpr double kMostSeconds = 2;
  static constexpr int kLeastRounds = 3;

  /// What the executor is to run. `time_stages`: see Executor::configure.
  struct Step {
    Configuration configuration;
    bool time_stages = false;
  };

  /// `device_capable`, bit k: stage k can run on the device. Without any there are nC + 2
  /// experiments.
  Trainer(int stages, int cores, uint32_t device_capable);

  /// The experiment that is under way; none when training is over.
  std::optional<Step> step() const;
  /// Takes the times of a finished frame; those of another configuration than step()'s are ignored
  /// (they were begun before it). True when step() is another one, or none, now.
  bool observe(const Item::Times& times, uint32_t device_stages);

  int experiments() const { return static_cast<int>(steps_.size()); }
  /// What each experiment took, so far.
  const std::vector<Experiment>& costs() const { return costs_; }
  /// What the experiments found out, when step() is none. Energies and domains are unknown here.
  Measurements measurements() const;
  /// The relative error of the worst known of the estimates that it is made of.
  double relative_error() const { return relative_error_; }

 private:
  void finish_step();
  double take(std::vector<double> samples);

  const int stages_, cores_;
  std::vector<Step> steps_;
  std::size_t current_ = 0;

  // Of the experiment that is under way.
  int seen_ = 0;
  uint64_t first_begin_ns_ = 0, last_end_ns_ = 0;
  std::vector<Item::Times> samples_;

  std::vector<Experiment> costs_;
  Measurements measured_;
  double relative_error_ = 0;
};

}  // namespace tandem
