// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/item.h"
#include "scheduler/flow/rules/core_partitions.h"
#include "scheduler/flow/rules/current_configuration.h"
#include "scheduler/flow/rules/device_classes.h"
#include "scheduler/flow/rules/flow_control.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/rules/frame_ring.h"
#include "scheduler/flow/rules/lanes.h"
#include "scheduler/flow/rules/ready_frames.h"
#include "scheduler/flow/rules/sent_frames.h"
#include "scheduler/flow/rules/serial_stages.h"
#include "scheduler/flow/rules/stage_runs.h"
#include "scheduler/flow/rules/wakeups.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// The rules by which frames pass through the stages. State and event in, action out: no thread, no
/// clock, no lock, and no allocation after construction. The executor drives it with threads, the
/// simulation of the virtual chips with virtual time. The caller serialises all calls.
///
/// | question | class in rules/ |
/// | --- | --- |
/// | may a frame come in, when are source and sink woken | FlowControl |
/// | which frames are in flight | FrameRing |
/// | what does a worker do next | work_for() |
/// | where is a stage computed, what does a frame wait for | next() |
/// | which positions are computed together | StageRuns |
/// | which device has a letter, which has failed | DeviceClasses |
/// | which lane is free, which frames wait for one | Lanes |
/// | which frames are on the devices, which worker collects | SentFrames |
/// | which frames wait for a worker | ReadyFrames |
/// | which frame may pass a serial stage | SerialStages |
/// | which partition of the cores is free | CorePartitions |
class Dispatch {
 public:
  using Action = FrameAction;
  using Entry = FrameEntry;
  using State = FrameEntry::State;
  using StageRules = tandem::StageRules;
  using Wakeup = tandem::Wakeup;
  using enum Wakeup;

  static constexpr int kMaxWindow = 512;
  static constexpr int kNone = kNoDevice;

  /// `cores` is nC, at least 1. Without a device no stage runs on it.
  Dispatch(std::vector<StageRules> stages, int cores, bool has_device);
  Dispatch(const Dispatch&) = delete;
  Dispatch& operator=(const Dispatch&) = delete;

  // --- Settings ------------------------------------------------------------------------------

  /// Sets the configuration of the frames that begin from now on, beside those under way.
  ///
  /// | setting | clamped to |
  /// | --- | --- |
  /// | threads | 1 ... nC + 1 |
  /// | lanes | 1 ... kMaxLanes; 1 while stages are timed apart, and all frames wait for it |
  /// | a stage that its letter's devices cannot compute | the CPU, or a letter that can |
  /// | a split stage outside `can_split` (bit k: stage k) | the CPU, or a letter that can |
  ///
  /// Frames under way finish first where the sides change: from and to medium grain, for other
  /// letters or further devices, and if a device alone is timed stage by stage.
  /// `spaced`: a frame begins when all before it have been released, as if the source were slow.
  void configure(const Configuration& configuration, const Devices& devices, bool time_stages,
                 uint32_t can_split = ~0u, bool spaced = false);
  bool spaced() const { return frames_.spaced(); }
  const Configuration& configuration() const { return configuration_.get(); }
  /// Most frames in flight; clamped to 2 (nC + 1) ... kMaxWindow.
  void set_window(int items) { flow_control_.set_window(items); }
  int window() const { return flow_control_.window(); }
  /// Most frames between two that the same stages compute; 1: each is like the one before.
  void set_period(int frames) { flow_control_.set_period(frames); }
  /// Whether the CPU computes a device run if the device is busy, or the frame waits for a lane.
  void set_cpu_fallback(bool on) { cpu_fallback_ = on; }
  /// Workers that the configuration uses.
  int workers() const { return configuration_.workers(); }
  /// Devices that have not failed: of one kind, or of all.
  int usable_devices(int kind = kNone) const { return device_classes_.usable(kind); }

  // --- In and out ----------------------------------------------------------------------------

  bool has_space() { return flow_control_.has_space(); }  ///< a frame may come in
  bool waits_for_the_sink() { return flow_control_.waits_for_the_sink(); }
  void source_waits() { flow_control_.source_waits(); }
  bool source_should_wake() { return flow_control_.source_should_wake(); }
  /// After has_space(). `held_ns`: how long the source waited for the sink.
  void let_in(Item* item, uint64_t held_ns, uint64_t now_ns = 0) {
    flow_control_.let_in(item, held_ns, now_ns);
  }
  /// Removes the last frame as if it had never come, if it has not begun and another one may come
  /// in its place. Null otherwise.
  Item* take_back() { return flow_control_.take_back(); }
  bool can_take() const { return frames_.can_take(); }
  /// The oldest; after can_take(). `woken_ns`: when the sink woke up, if it waited for this frame.
  Item* take(uint64_t woken_ns = 0);
  /// The frame taken last is no longer in flight. `now_ns` matters while frames are spaced().
  void release(uint64_t now_ns = 0);
  int in_flight() const { return frames_.in_flight(); }
  int waiting() const { return frames_.waiting(); }    ///< to begin
  int under_way() const { return frames_.running(); }  ///< begun, not done; with parked ones
  bool empty() const { return frames_.empty(); }
  bool all_taken() const { return frames_.all_taken(); }

  // --- The path of a frame -------------------------------------------------------------------

  /// Times of a worker that requests work.
  struct Idle {
    uint64_t since_ns = 0;    ///< begin of its wait; 0: it does not wait
    uint64_t service_ns = 0;  ///< service time of the latest frame that it computed
  };
  struct Work {
    Entry* entry = nullptr;  ///< null: nothing to do for now
    bool collects = false;   ///< the frame is on the device: wait for it, then hand_on()
  };
  /// The next frame for a worker. A worker whose configuration has no use for it gets nothing.
  Work work_for(int worker, uint64_t now_ns, const Idle& idle);

  /// The next action of a worker with its frame.
  ///
  /// | at | the frame |
  /// | --- | --- |
  /// | a serial stage | is parked until its turn |
  /// | a device run | takes a lane; if none is free, the CPU computes it (Vilches, section II) |
  /// | ... without the CPU fallback | waits for a lane and keeps its worker |
  /// | ... of a mapping with several letters | is parked: its worker may be needed to collect |
  /// | ... if every other worker waits so | is parked: one worker stays free to collect |
  /// | a run that the CPU cannot compute | is parked; fails when the last device is lost |
  /// | a split run | takes a lane and a partition of the cores, or waits without either |
  /// | a CPU stage, medium grain | takes a partition of the cores, or waits for it |
  Action next(Entry& entry);
  /// A device action: its commands were enqueued on entry.lane since `since_ns`. The frame belongs
  /// to the worker that collects it.
  void sent(Entry& entry, const Action& action, uint64_t since_ns);
  /// A piece of a sent frame is done, and the next piece is enqueued.
  void sent_again(Entry& entry, uint64_t since_ns);
  /// The device is done with the frame; the rest of the action does not need the lane. Returns the
  /// nanoseconds during which the frame had the device to itself.
  uint64_t leave_device(Entry& entry, uint64_t now_ns);
  /// The action was carried out with this result. After a failure of the device, the frame is
  /// computed again from FrameEntry::restart on: once by another device, then by the CPU. Returns
  /// true if a device failed just now.
  bool did(Entry& entry, const Action& action, const Status& status);
  /// After did() of a collected frame. Returns true if another worker continues it.
  bool hand_on(Entry& entry, uint64_t now_ns);
  /// Stage and restart of the place where the frame waits for its turn; see Item::waits.
  std::pair<int, int> waits_at(const Entry& entry) const;
  /// False if its turn has come meanwhile. Otherwise the frame belongs to the next worker that
  /// takes it.
  bool park(Entry& entry, uint64_t now_ns);
  void finish(Entry& entry);

  // --- Interruptions -------------------------------------------------------------------------

  /// Frames that have not begun fail, and those under way fail at their next step.
  void abort();
  bool aborted() const { return frames_.aborted(); }
  /// After abort(), when everything has been taken out.
  void resume();

  /// Threads to wake since the last call, as bits of Wakeup.
  uint32_t take_wakeups() { return wakeups_.take(); }

 private:
  Entry& begin(uint64_t now_ns, const Idle& idle);
  bool may_begin() const;
  bool fills_lanes() const;
  int most_at_hand() const;
  void apply_pending();

  std::optional<Action> at_device_run(Entry& entry, bool had_worker);
  Action take_lane(Entry& entry);
  Action park_for_lane(Entry& entry);
  Action split_or_wait(Entry& entry);
  bool pass_serial_stages(Entry& entry, int until);
  void pass(int serial_stage, Entry& entry);
  bool lost_its_device(const Entry& entry) const;
  bool device_failed(Entry& entry, const Status& status);
  void lose(int device);

  const std::vector<StageRules> stages_;
  bool cpu_fallback_ = true;
  bool starved_ = false;  // the latest frame that is computed was
  // Each after those that it refers to.
  Wakeups wakeups_;
  FrameRing frames_;
  DeviceClasses device_classes_;
  CurrentConfiguration configuration_;
  StageRuns runs_;
  SentFrames sent_;
  ReadyFrames ready_;
  Lanes lanes_;
  SerialStages serial_stages_;
  CorePartitions cores_;
  FlowControl flow_control_;
};

}  // namespace tandem
