// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/video/video.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "gst/bin/latency.h"
#include "gst/bin/learning/decisionmessages.h"
#include "gst/bin/learning/energy.h"
#include "gst/bin/learning/knowledge.h"
#include "gst/bin/learning/learner.h"
#include "scheduler/flow/executor.h"
#include "scheduler/learn/run/controller.h"

namespace tandem::bin {

struct RunPlan;

/// Connects the controller of a bin: passes events to the controller, its decisions to the
/// executor, and both to the application as messages.
///
/// Frames are handed to a Learner, whose thread passes them on. Every other event passes on first
/// what was handed over before it, on the thread of its caller.
///
/// mutex_ is held from an event until the executor is configured, so that decisions keep their
/// order. The thread that pushes frames does not take it. Messages are posted without it, because
/// their handlers may set properties. Lock order: the bin's configure_mutex, mutex_, then
/// latency_mutex_ or a lock of the machine, of the executor or of Learner.
class ControllerAdapter {
 public:
  /// `bin` is the source of messages. `executor` outlives this.
  ControllerAdapter(GstElement* bin, Executor& executor, const RunPlan& plan);

  // The caller calls report() after these three, with no lock held.
  void set_rules(const AdaptRules& rules);
  void set_objective(const Objective& objective);
  void retrain();
  /// Posts the decisions and warnings since the last call.
  void report();
  /// Queues a warning for report_warnings(), for callers that hold a lock. Empty: none.
  void warn_later(std::string text);
  void report_warnings();  ///< part of report()

  /// Ends the learner's thread. The other bins of the neighbourhood share the machine.
  void leave_machine();
  /// Called after the last frame, before the executor ends: posts what is left, and leaves.
  void end();

  /// Sets the device that the next set_rules() decides with.
  void set_device(const DeviceSide& device);
  /// Called when the properties are invalid. A pending device is attached under the last valid
  /// rules.
  void keep_rules_with(const DeviceSide& device);
  /// Called when the device has opened, or could not be opened, while frames passed already, and
  /// before the set_device() that follows.
  void device_opened(EnergySource energy);
  void device_failed();
  /// Called when one of several devices failed. `left`: the others.
  void device_left_out(const DeviceSide& left);
  /// Announces the next frames, with none in flight. `work`: ChainWork::text().
  /// `period`: Intervals::period().
  void frames_are(const GstVideoInfo& info, const std::string& work, int period);
  /// Sets the interval of frames. Posts a LATENCY message if the bin's latency changes with it.
  /// `live`: the source does not wait for the bin. For the streaming thread, with no lock held.
  void frames_come_every(const FrameInterval& interval, bool live);
  /// Whether there are measurements of these frames, or of frames that differ in size alone.
  bool knows_frames() const;
  /// The same with any device, for the time while the device opens. May wait for a disk.
  bool may_know_frames() const;
  /// Chooses a configuration for the frames of the last frames_are().
  void frames_changed();
  /// Called after the last frame, with none in flight. All decisions so far are posted on return.
  void stream_ended();
  /// For the thread that takes frames out of the executor, before it releases the frame. See
  /// Learner::hand_over().
  void frame_done(const Item& item) { learner_.hand_over(item.times, item.device_stages); }
  /// Called with no frame in flight: passes on and reports all so far. Until the next frame the
  /// learner changes nothing.
  void catch_up();
  /// While frames are dropped; see Learner::abort().
  void abort() { learner_.abort(); }
  void resume() { learner_.resume(); }

  /// Whether the current configuration has a stage on a device.
  bool runs_on_device() const;
  /// The bin's answer to LATENCY queries and the interval of frames; both are 0 before the first
  /// caps.
  uint64_t latency_ns() const;
  uint64_t frame_ns() const;
  /// Adds the fields of add_controller() and the energy source, without those that are unknown.
  void add_stats(GstStructure* stats) const;
  /// Returns `tandem-predictions` for the current frames; the array is empty before training.
  GstStructure* predictions() const;

 private:
  std::unique_lock<std::mutex> caught_up();
  template <class Event>
  void handle(Event&& event);
  void run(const Step& step);
  void learn();
  void report_if_due();
  int count_frames_at_a_time() const;
  void recall();
  Probe probe() const;
  int window() const;
  void follow_energy(const Objective& objective);

  GstElement* const bin_;
  DecisionMessages messages_;
  Executor& executor_;
  const KeptKnowledge kept_;
  const std::shared_ptr<Seat> seat_;
  std::atomic<int> window_{0};  // most frames in flight if this bin had the machine to itself

  mutable std::mutex mutex_;  // guards what follows, up to the next mutex
  uint64_t seen_epoch_ = 0;
  int frames_unwatched_ = 0;  // since the last check of their latency
  EnergySource energy_;
  bool device_opens_;  // on a thread, and has not been found yet
  Conditions conditions_;
  int period_ = 1;
  std::set<Conditions> recalled_;  // queried from kept_, without sizes and cores
  Controller controller_;
  bool pending_report_ = false;  // of what frames led to
  std::vector<Decision> pending_decisions_;
  std::vector<std::string> pending_warnings_;
  std::shared_ptr<void> follows_energy_;  // while the objective needs it
  bool device_lost_ = false;
  // Held for a moment: the sink's preroll waits for answers to LATENCY queries.
  mutable std::mutex latency_mutex_;
  Latency latency_;
  uint64_t frame_ns_ = 0;  // between frames; 0: no caps yet
  Learner learner_;        // its thread ends first
};

}  // namespace tandem::bin
