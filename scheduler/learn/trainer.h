// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/configuration.h"
#include "model/measurements.h"
#include "scheduler/frame_times.h"
#include "scheduler/machine/probe.h"

namespace tandem {

/// The nC + 3 experiments of paper 1, section III-A, on frames of the stream: coarse grain with
/// 1 ... nC + 1 threads, the device alone, medium grain, each a homogeneous run. State in, decision
/// out: it knows no clock and starts no thread; whoever owns the executor asks for the
/// configuration to run, and hands it every frame's times.
///
/// The first frames of each experiment, one a thread, pay for program builds, for memory that is
/// touched for the first time and for a device that wakes up. Then the clock starts and the
/// counters are read; it ends when its samples last `least_seconds`, or kDeviceSeconds with the
/// device, and are enough: kLeastRounds a thread and kLeastSamples in all. The device alone is an
/// experiment of two halves: its stages one by one, for where the time goes, and whole frames, for
/// how much of it the stages of a frame hide from each other when nobody waits in between. Where
/// the device has lanes, it follows alone with twice as many each time, X(S), until that gains less
/// than kLaneGain. An experiment ends in any case kMostSeconds later, if there is one sample, or if
/// the device took none of kMostVain frames: then it is left out.
class Trainer {
 public:
  static constexpr double kLeastSeconds = 0.05;   ///< what the clock needs
  static constexpr double kDeviceSeconds = 0.15;  ///< until its clocks have risen to work
  static constexpr double kMostSeconds = 2;
  static constexpr int kLeastRounds = 2, kLeastSamples = 5;
  static constexpr double kLaneGain = 0.05;
  static constexpr int kMostVain = 16;  ///< frames that the device left to the CPU, all of them

  /// What the executor is to run. `time_stages`: see Executor::configure.
  struct Step {
    Configuration configuration;
    bool time_stages = false;
  };

  /// `device_capable`, bit k: stage k can run on the device. Without any there are nC + 2
  /// experiments. `lanes`: numbers of lanes, above one and ascending, to measure the device with.
  /// `least_seconds`: what the clock and the energy counter need. `read_probe` is called a few
  /// times an experiment. With several `devices` each is served by a thread.
  Trainer(int stages, int cores, uint32_t device_capable, std::span<const int> lanes,
          double least_seconds, ReadProbe read_probe, int devices = 1);

  /// The experiment that is under way; none when training is over.
  std::optional<Step> step() const;
  /// Takes the times of a finished frame; those of another configuration than step()'s are ignored
  /// (they were begun before it). True when step() is another one, or none, now.
  bool observe(const FrameTimes& times, uint32_t device_stages);

  int experiments() const {
    return static_cast<int>(std::ranges::count(steps_, false, &Step::time_stages));
  }
  /// Which of them is under way, from 1 on.
  int number() const {
    const auto done = std::span(steps_).first(current_);
    return 1 + static_cast<int>(std::ranges::count(done, false, &Step::time_stages));
  }
  /// What the experiments found out, when step() is none. Energies are unknown where the counter
  /// had no new values; domains, TDP and window are the owner's.
  const Measurements& measurements() const { return measured_; }
  /// The relative error of the worst known of the estimates that it is made of.
  double relative_error() const { return relative_error_; }
  /// Whether threads waited for most frames, though this process did not take all of the
  /// processors: the source did not keep the threads busy.
  bool starved() const { return starved_ > (counted_in_all_ + 1) / 2; }

 private:
  void finish_step();
  void take_device_stages();
  void take_device_whole(const Probe& end, const Energy& power);
  void take_lanes(const Probe& end);
  double take(std::vector<double> samples);
  template <class Value>
  double mean_of(Value&& value);
  double stage_s(int k);
  double cpu_s_a_frame(const Probe& end) const;
  double seconds_a_frame(int n);
  void take_device_cores(double cpu_s, double device_s);
  Energy watts(const Probe& end) const;

  const int stages_, cores_, devices_;
  const double least_seconds_;
  const ReadProbe read_probe_;
  std::vector<Step> steps_;
  std::size_t current_ = 0;

  // Of the experiment that is under way.
  int seen_ = 0;     // frames, those of the warm-up included
  int counted_ = 0;  // frames since `begin_`
  int starved_here_ = 0;
  Probe begin_;
  bool counts_joules_ = false;  // begin_'s energy is from this experiment
  std::vector<FrameTimes> samples_;

  Measurements measured_;
  double relative_error_ = 0;
  double lanes_before_s_ = 1;                      // the factor of the lanes measured before
  double one_lane_s_ = 0, one_lane_j_ = kUnknown;  // a frame, with the device alone
  double other_cpu_s_ = 0;  // processor time a frame beside the stages: decoding, drawing, ...
  int starved_ = 0, counted_in_all_ = 0;
};

}  // namespace tandem
