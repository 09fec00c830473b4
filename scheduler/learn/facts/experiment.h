// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "model/latency_sketch.h"
#include "model/objective.h"
#include "scheduler/frame_times.h"
#include "scheduler/learn/facts/fresh_memory.h"
#include "scheduler/learn/facts/observation.h"
#include "scheduler/machine/probe.h"

namespace tandem {

/// What the executor is to run.
struct Step {
  Configuration configuration;
  bool time_stages = false;  ///< as in Executor::configure
  bool spaced = false;       ///< likewise

  bool operator==(const Step&) const = default;
};

/// Below that part of the best rate that is known a trial or a look is soon over.
inline constexpr double kTooSlow = 0.45;

/// What is to be found out next.
struct Plan {
  Configuration configuration;
  Observation::Kind kind = Observation::Kind::experiment;
  double fill_s = 0;      ///< of a glance or a look: frames run for so long before they count
  double slow_fps = 0;    ///< it is over soon where it is no faster than this
  bool meters = true;     ///< its power tells something new, if energy matters
  bool rest = false;      ///< it tells nothing new: the stream catches up
  bool spaced = false;    ///< each frame begins when the one before it has left
  double source_fps = 0;  ///< the source is known to bring so many; 0: unknown
  /// A core takes no longer for a frame whose memory was touched before; 0: unknown.
  double core_s = 0;
  std::string why = {};  ///< of a trial or a look, in words, for explain()

  Step step() const { return {configuration, kind == Observation::Kind::stages, spaced}; }
};

/// Spaced where what answers soonest is best, if its configuration takes one frame at a time: as
/// frames come in service. With the next one waiting a thread and a device never rest, and a frame
/// takes less.
Plan as_in_service(Plan plan, const Chain& chain, const Objective& objective);

/// How long a glance counts frames that come so often and take `fill_s` each.
double glance_s(double fps, double fill_s);

/// Finds out what a plan asks for, on frames of the stream. State in, decision out: it knows no
/// clock and starts no thread.
///
/// What was begun before it may still run beside its first frames: those that begin before that is
/// out do not count. The first frames, one a thread, pay for program builds, for memory that is
/// touched for the first time and for a device that wakes up. On the cores none counts that began
/// before a first one was done which took twice as long as another, and beside several cores none
/// that began before as many frames were done there, in the first 50 ms, if they are expected to
/// take less than 25 ms. Then the clock starts and the counters are read. An experiment is over
/// when its samples last 50 ms, or 150 ms with the device, whose clocks have to rise, and are
/// enough: two rounds of the threads, and five, or half a second after the first of them began one
/// round and a frame. Of stages one by one beside busy cores two are enough then, and where frames
/// take longer than kCheap_s those of the last quarter of the first round count, and of the device
/// the least of the whole round. It ends in any case two seconds later, if there is one sample, or
/// if the device took none of 16 frames; beside the device, when the cores took none of 16 for each
/// that runs at a time. A glance lasts as long as two frames on the slowest path, or one that takes
/// longer than kCheap_s, and 50 frames or 0.5 s, but 0.1 s at least, a rest 0.07 s, a look 60
/// frames or 0.5 s, but 0.25 s at least, once a round of frames makes little memory, or after
/// 0.1 s; of frames that take longer than kCheap_s 0.5 s, once no memory is made for
/// more of them, or after a second. Each is over after 50 ms in which it was too slow, and so are
/// cores beside the device that have finished a frame by then, and cores alone after one round. A
/// core beside the device is over with its first frame where that lasts so long, and no longer than
/// any does, if all that began meanwhile would be too slow in half of the time. Where threads wait
/// for the source in most frames the rate is what they would do with frames at hand, unless this
/// process keeps all processors busy or the source has brought a tenth more.
///
/// Where stages leave frames out, a period stands for each of these frames, and whole periods
/// count. A mean is that of all frames: of each kind of them by how many there were.
class Experiment {
 public:
  /// `counter_s`: what the energy counter needs, 0 where energy does not matter. `read_probe` is
  /// called a few times, as long as a trial waits for memory each 10 ms, and of long frames for
  /// each.
  Experiment(const Plan& plan, const Chain& chain, double counter_s, ReadProbe read_probe);

  const Plan& plan() const { return plan_; }
  /// Takes the times of a finished frame, in the order of the stream, those that were begun before
  /// it included. True when it is over.
  bool take(const FrameTimes& times, uint32_t device_stages);
  /// What was found out, when it is over.
  Observation observation();

 private:
  bool take_sample(const FrameTimes& times, uint32_t device_stages);
  bool holds_up_others(const FrameTimes& times, uint32_t device_stages) const;
  bool end_with(const FrameTimes& times, uint32_t device_stages);
  bool is_first_round_over() const;
  void wait_for_slow_start(const FrameTimes& times);
  bool take_trial(const FrameTimes& times, uint32_t device_stages);
  bool is_long_trial() const;
  bool may_pile_up() const;
  bool makes_memory(const FrameTimes& times, bool filled);
  double grew_s() const;
  double counted_s() const;
  bool is_behind();
  bool is_slow();
  void count(const FrameTimes& times, uint32_t device_stages);
  double estimate_of(std::vector<double> samples);
  template <class Value, class Reduce>
  double over_kinds(std::initializer_list<const std::vector<FrameTimes>*> frames, Value&& value,
                    Reduce&& reduce) const;
  template <class Value>
  double mean_of(Value&& value);
  template <class Value>
  double device_s(Value&& value);
  double seconds_a_frame() const;
  double seconds_a_frame(int threads);
  void measure(Observation& made);

  Plan plan_;
  Chain chain_;
  int devices_;  // that the mapping may use
  double counter_s_;
  ReadProbe read_probe_;

  int seen_ = 0;        // frames, those that do not count included
  int cores_seen_ = 0;  // of these, on cores beside the device
  int counted_ = 0;     // frames since `begin_`, or that began beside one on a core
  int starved_ = 0;
  // By when frames were begun, which is in order: they come out in bursts when paths differ in
  // speed.
  uint64_t first_ns_ = 0, start_ns_ = 0, last_ns_ = 0;
  uint64_t others_end_ns_ = 0;  // of the frames that were begun before it
  // What the first frames took on the cores, and when the one that took most was done.
  uint64_t least_ns_ = 0, most_ns_ = 0, most_end_ns_ = 0;
  int alone_ = 0;  // frames since `alone_ns_`, when those were out
  uint64_t alone_ns_ = 0;
  bool warm_ = false;
  Probe begin_, end_;
  bool counts_joules_ = false;  // begin_'s energy is from this experiment
  Busy busy_;                   // of the frames that were counted
  /// Frames that the same stages left out.
  struct FramesOfKind {
    uint32_t left_out;
    int counted;
  };
  std::vector<FramesOfKind> kinds_;  // of the frames that were counted
  std::vector<FrameTimes> samples_;
  std::vector<FrameTimes> for_no_device_;  // beside the device: no stage of theirs is on it
  std::vector<FrameTimes> first_round_;    // before them, where they are the end of such a round
  LatencySketch latency_;
  FreshMemory memory_;
  std::vector<double> under_way_s_;  // how long each frame of a long trial was that was counted
  double latencies_s_ = 0;           // of the frames that were counted
  double relative_error_ = 0;
};

}  // namespace tandem
