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

/// The executor's settings for a plan.
struct Step {
  Configuration configuration;
  bool time_stages = false;  ///< as in Executor::configure
  bool spaced = false;       ///< likewise

  bool operator==(const Step&) const = default;
};

/// Below this part of the best known rate a trial or a look ends early.
inline constexpr double kTooSlow = 0.45;

/// The next experiment, trial or look.
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

/// Spaces the frames of `plan`, as they come in service, if least latency is the objective and the
/// configuration takes one frame at a time. With the next frame waiting, a thread and a device
/// never rest, and a frame takes less.
Plan as_in_service(Plan plan, const Chain& chain, const Objective& objective);

/// How long a glance counts frames that come so often and take `fill_s` each.
double glance_s(double fps, double fill_s);

/// Measures what a plan asks for, on frames of the stream. State in, decision out: it has no clock
/// and no thread. When the frames that do not count are over, the counters are read.
///
/// | not counted | reason |
/// | --- | --- |
/// | begun while frames of another configuration ran | they affect each other |
/// | first round, one frame a thread | builds programs, touches memory, wakes the device |
/// | on the cores alone, beside a first frame that took twice as long as another | touches memory |
/// | begun before each of several cores did one, 50 ms at most, if `core_s` is less | the same |
/// | of trials, until a round makes little memory, 0.1 s at most | a driver locks pages |
/// | same with frames over kCheap_s (long), until none is made, 1 s after fill_s at most | same |
///
/// | measurement | lasts at least | and until |
/// | --- | --- | --- |
/// | experiment | 50 ms, one lane of a device 150 ms (clocks rise) | two rounds and five samples |
/// | same, once it lasts 0.5 s | | a round and a frame; stages beside busy cores: two samples |
/// | same, 2 s after the least time | | one sample, or kTellingFrames (16) frames without any |
/// | cores beside the device | 50 ms | as above, or in 150 ms 16 frames for each at a time |
/// | glance | 0.1 s, and two frames on the slowest path | 50 frames or 0.5 s |
/// | look | 0.25 s, and two frames on the slowest path | 60 frames or 0.5 s |
/// | rest | 0.07 s, and two frames on the slowest path | |
/// | glance, look of long frames | one frame on the slowest path | 0.5 s |
///
/// A glance or a look ends after 50 ms that were too slow. So do cores beside the device with a
/// frame done, and cores alone after a round. Cores beside the device end with a first frame that
/// takes 50 ms to `core_s`, if all begun meanwhile would be too slow in half of that time. For
/// stages of long frames beside busy cores the first round counts: its last quarter, or the least
/// times of the device. If most frames waited for the source, the rate is that of frames at hand,
/// unless this process keeps all processors busy or the source has brought a tenth more.
///
/// Where stages leave frames out, a period stands for each of these frames, and whole periods
/// count. A mean is that of all frames: of each kind of them by how many there were.
class Experiment {
 public:
  /// `counter_s`: seconds that the energy counter needs, 0 where energy does not matter. Calls
  /// `read_probe` a few times, and each 10 ms or long frame while a trial waits for memory.
  Experiment(const Plan& plan, const Chain& chain, double counter_s, ReadProbe read_probe);

  const Plan& plan() const { return plan_; }
  /// Takes the times of each finished frame in the order of the stream, also of frames that were
  /// begun before the experiment. True when it is over.
  bool take(const FrameTimes& times, uint32_t device_stages);
  /// The result, once it is over.
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
  // Begin times, which are in order: frames come out in bursts when paths differ in speed.
  uint64_t first_ns_ = 0, start_ns_ = 0, last_ns_ = 0;
  uint64_t others_end_ns_ = 0;  // of the frames that were begun before it
  // Least and most time of a first frame on the cores, and when the one that took most was done.
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
  std::vector<double> under_way_s_;  // of each counted frame, begin to end, if may_pile_up()
  double latencies_s_ = 0;           // of the frames that were counted
  double relative_error_ = 0;
};

}  // namespace tandem
