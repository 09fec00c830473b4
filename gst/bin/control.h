// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "gst/bin/energy.h"
#include "gst/bin/knowledge.h"
#include "gst/bin/latency.h"
#include "scheduler/flow/executor.h"
#include "scheduler/learn/controller.h"

namespace tandem::bin {

struct RunPlan;

/// What decides inside tandembin: hands the controller what happens, the executor what the
/// controller answers, and tells the application.
///
/// mutex_ is held while the controller thinks and its answer reaches the executor, so that answers
/// cannot overtake each other; messages are posted without it, as who sees them may set properties.
class Control {
 public:
  /// `bin` is who speaks on the bus; `executor` outlives this.
  Control(GstElement* bin, Executor& executor, const RunPlan& plan);

  // tell() is to be called after these three, with no lock held.
  void set_rules(const AdaptRules& rules);
  void set_objective(const Objective& objective);
  void retrain();
  /// Posts what was decided since it was called last.
  void tell();
  /// Keeps a warning for tell_warnings(), which can be called where no lock is held. Empty: none.
  void warn_later(std::string text);
  void tell_warnings();  ///< part of tell()

  /// No frame comes any more: others may use the whole machine.
  void leave_machine() { seat_->leave(); }

  /// What there is of a device; set_rules() then decides with it.
  void set_device(const DeviceSide& device);
  /// What the properties say cannot be: if a device was awaited, it comes under the rules that were
  /// right last.
  void keep_rules_with(const DeviceSide& device);
  /// The device that opened later, or none, and where joules come from with it. Before the first
  /// set_device() that has it.
  void device_opened(EnergySource energy);
  void device_failed();
  /// One of several devices failed, the others go on.
  void device_left_out(const DeviceSide& left);
  /// With nothing in flight, before the first of these frames: what they are. `work`: what the
  /// stages do with them.
  void frames_are(const GstVideoInfo& info, const std::string& work);
  /// For the streaming thread, with no lock held: how far apart frames come from now on. Posts a
  /// message where the bin's latency changes with it. `live`: they come so whatever is done.
  void frames_come_every(const FrameInterval& interval, bool live);
  /// Whether something was learnt of them, or of others that differ in size alone.
  bool knows_frames() const;
  /// The same while the device opens: of what any device did. May take as long as a disk does.
  bool may_know_frames() const;
  /// After frames_are(): decides what to run.
  void frames_changed();
  /// With nothing in flight, after the last frame.
  void stream_ended();
  /// For the thread that takes frames out of the executor.
  void frame_done(const Item& item);

  /// Whether what runs has a stage on a device.
  bool runs_on_device() const;
  /// What a live source has to expect; 0 before the first caps, as is the interval of its frames.
  uint64_t latency_ns() const;
  uint64_t frame_ns() const;
  /// What tell_controller() tells, and the energy source. What is unknown is left out.
  void add_stats(GstStructure* stats) const;
  /// What the model expects of every configuration for the frames that come now: an array of
  /// structures `prediction` (configuration, fps, energy), empty while nothing was learnt.
  GstStructure* predictions() const;

 private:
  template <class Event>
  bool handle(Event&& event);
  int count_frames_at_a_time() const;
  void watch_latency();
  void recall();
  Probe probe() const;
  int window() const;
  void follow_energy(const Objective& objective);
  void post(const Decision& decision);
  void warn(const Decision& decision);

  GstElement* const bin_;
  Executor& executor_;
  const KeptKnowledge kept_;
  const std::shared_ptr<Seat> seat_;
  std::atomic<int> window_{0};  // for this bin, were it alone
  uint64_t seen_epoch_ = 0;     // of who takes the frames out
  int frames_unwatched_ = 0;    // likewise: since their latency was looked at

  mutable std::mutex mutex_;
  EnergySource energy_;
  bool device_opens_;  // nothing is known of it yet
  Conditions conditions_;
  std::set<Conditions> recalled_;  // without sizes and cores
  Controller controller_;
  std::vector<Decision> untold_;
  std::vector<std::string> untold_warnings_;
  Latency latency_;
  uint64_t frame_ns_ = 0;                 // between frames; 0: no caps yet
  std::shared_ptr<void> follows_energy_;  // while the objective needs it
  bool device_lost_ = false;
  bool told_energy_ = false, told_target_ = false, told_budget_ = false, told_late_ = false;
};

}  // namespace tandem::bin
