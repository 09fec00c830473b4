// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/devices.h"
#include "scheduler/flow/item.h"
#include "scheduler/flow/status.h"
#include "scheduler/flow/way.h"

namespace tandem {

/// The rules by which items pass through the stages: when one may come in, which one a driver
/// takes, where its stages are computed, who waits for whom. State and event in, action out: no
/// thread, no clock and no lock. The executor drives it with threads, the simulation of the
/// virtual chips with virtual time.
///
/// Three bounds hold. At most as many items wait to begin as there are drivers, and 16 more where
/// they take microseconds. At most window() are in flight. And no item comes in while a quarter of
/// these wait for nothing but to be taken out, or a sink slower than the stages would find the
/// whole window in front of it.
///
/// Drivers take items in order. At a run of 'g' stages a driver sends the item to the device when
/// one of its lanes is free, else the CPU computes the run (Vilches, section II). One driver at a
/// time collects: it fills the lanes as long as items begin on the device, then waits for the item
/// that was sent first. What it collects goes on with another driver, the oldest first, unless
/// nothing is left on the device: then it goes on itself, as in the paper, where the thread that
/// waits is the frame's. Twice as many may wait for a driver as there are lanes, at least half and
/// at most twice as many as drivers: they hold their tensors, and what begins behind them waits for
/// all of them. While more do, it computes the oldest of them before it collects again. A driver
/// that is alone goes on itself, and computes first what others left to it.
///
/// Several devices of one kind share the letter. Each has as many lanes and a collector of its own,
/// as far as there are drivers; an item goes to the device that has the most lanes free. A device
/// that fails is left out. Its items are computed again from where they last cannot be, once by the
/// other devices, then by the CPU.
///
/// Devices of other kinds have further letters. An item goes from letter to letter as its mapping
/// says; where it would have to wait for a lane, it is parked without its driver, which may be the
/// one that has to collect from that letter. When the last device of a letter is lost, the CPU
/// computes its stages, and the letters behind it move up with the next configuration.
///
/// Under medium grain the CPU is one device too: whoever computes on it holds it and uses all
/// cores, from stage to stage, until it has to wait for anything else. Where several frames are
/// computed at a time, each holds a part of the cores. An item at a run of 's' stages needs a lane
/// and the cores, and waits for both without either: all drivers that wait for these may be waiting
/// for each other otherwise. When no device is left the CPU computes the run. Serial stages let
/// items through in order; an item whose turn has not come is parked, and any driver takes it on
/// when it has.
///
/// A run with a stage that has no CPU implementation waits for a lane, without its driver: it is
/// parked, and the oldest such item gets the next lane. So is one that waits where all drivers in
/// use would, or at a split run with several devices: somebody has to collect. As many as there are
/// drivers may wait so before no further item begins. When the last device is lost these items
/// fail.
class Dispatch {
 public:
  struct StageRules {
    bool serial = false;        ///< items pass it in the order of the stream
    bool changes_item = false;  ///< what was computed before it cannot be computed again
    bool has_cpu = true;        ///< else it is for the device alone
  };

  static constexpr int kMaxWindow = 512;
  static constexpr int kNone = -1;

  /// `cores` is nC, at least 1. Without a device no stage runs on it.
  Dispatch(std::vector<StageRules> stages, int cores, bool has_device);

  // --- What may be set -----------------------------------------------------------------------

  /// For the items that begin from now on, beside those that are under way. From and to medium
  /// grain, stages of a device alone timed apart, other letters and other devices none begins
  /// before those have finished; the first device joins while they go on, unless it is timed alone.
  /// Threads are clamped to 1 ... nC + 1, lanes to 1 ... kMaxLanes, stages that the devices of
  /// their letter cannot compute to 'c', as are those with an 's' outside `can_split` (bit k: stage
  /// k), and those that the CPU cannot compute to a letter that can. While stages are timed apart
  /// there is one lane and all items wait for it. `spaced`: an item begins when all before it have
  /// been released, as those of a source do that the stages keep up with.
  void configure(const Configuration& configuration, const Devices& devices, bool time_stages,
                 uint32_t can_split = ~0u, bool spaced = false);
  bool spaced() const { return spaced_; }
  const Configuration& configuration() const { return current_; }
  /// Most items in flight; clamped to 2 (nC + 1) ... kMaxWindow.
  void set_window(int items);
  int window() const { return window_; }
  /// Whether the CPU computes a run of device stages when the device is busy, or the item waits.
  void set_cpu_fallback(bool on) { cpu_fallback_ = on; }
  /// Drivers that the configuration uses: medium grain needs one more than devices.
  int drivers() const;
  /// Devices that have not failed: of one kind, or of all.
  int usable_devices(int kind = kNone) const;

  // --- In and out ----------------------------------------------------------------------------

  bool has_space();           ///< an item may come in
  bool waits_for_the_sink();  ///< enough items wait for nothing but to be taken out
  /// The source found no space: the items that begin next have others behind them.
  void source_waits();
  /// Whether the source that waits has to look again: there is space, or it waits for others now.
  bool source_looks_again();
  /// After has_space(). `held_ns`: how long it waited for the sink.
  void let_in(Item* item, uint64_t held_ns, uint64_t now_ns = 0);
  /// The item that came last, if it waits to begin and another one may come in its place: it leaves
  /// as if it had never come. Null otherwise.
  Item* take_back();
  bool can_take() const;
  /// The oldest; after can_take(). `woken_ns`: when the sink was awake, if it waited for this one.
  Item* take(uint64_t woken_ns = 0);
  /// The item taken last no longer counts as in flight. `now_ns` matters where items are spaced().
  void release(uint64_t now_ns = 0);
  int in_flight() const { return static_cast<int>(next_submit_ - released_); }
  int waiting() const { return static_cast<int>(next_submit_ - next_begin_); }  ///< to begin
  int under_way() const { return running_; }  ///< begun and not done, the parked ones included
  bool empty() const { return released_ == next_submit_; }
  bool all_taken() const { return next_take_ == next_submit_; }

  // --- The way of an item --------------------------------------------------------------------

  struct Entry;
  /// What a driver was doing before it asked for work.
  struct Idle {
    uint64_t since_ns = 0;    ///< since when it waits; 0: it does not
    uint64_t service_ns = 0;  ///< of the latest item that it computed
  };
  struct Work {
    Entry* entry = nullptr;  ///< null: nothing to do for now
    bool collects = false;   ///< it is on the device: wait for it, then collected()
  };
  Work work_for(int driver, uint64_t now_ns, const Idle& idle);

  struct Action {
    enum class Kind : uint8_t {
      cpu,     ///< compute the positions: on one core, under medium grain on all; a stage without
               ///< a CPU version fails, as no device is left
      device,  ///< compute the positions on the device, enqueued together
      split,   ///< compute the positions on a device and the cores at the same time; leave_device()
      wait,    ///< a side is taken: ask again when it was given back
      park,    ///< its turn has not come, or no lane is free and its driver is needed: park()
      finish,  ///< its way is over: finish()
    };
    Kind kind = Kind::finish;
    int first = 0, last = 0;  ///< half-open, of positions on its way
    int device_kind = 0;      ///< that these are mapped to; 0 where it is the CPU
  };
  Action next(Entry& entry);
  /// A device action: since `since_ns` its commands were enqueued on entry.lane. The item belongs
  /// to whoever collects it.
  void sent(Entry& entry, const Action& action, uint64_t since_ns);
  /// It was sent, a piece of it is done, and the next piece is enqueued.
  void sent_again(Entry& entry, uint64_t since_ns);
  /// What it had on the device is done: what is left of the action does not need the lane. Returns
  /// for how many nanoseconds it had the device to itself: since it was sent, or since the device
  /// was done with the item before, whichever was later.
  uint64_t leave_device(Entry& entry, uint64_t now_ns);
  /// The action was carried out, with this result. True when a device failed just now.
  bool did(Entry& entry, const Action& action, const Status& status);
  /// After did() of an item that was collected. True when another driver goes on with it.
  bool hand_on(Entry& entry, uint64_t now_ns);
  /// Stages and restart of the place where it waits for its turn; see Item::waits.
  std::pair<int, int> waits_at(const Entry& entry) const;
  /// False when its turn has come meanwhile; else the item belongs to whoever gets it next.
  bool park(Entry& entry, uint64_t now_ns);
  void finish(Entry& entry);

  // --- Interruptions -------------------------------------------------------------------------

  /// Items not begun are not computed, those under way are left at their next step: they come out
  /// as failed.
  void abort();
  bool aborted() const { return aborted_; }
  /// After abort() and when everything has been taken out.
  void resume();

  // --- Threads that have a reason to look again ---------------------------------------------

  enum Wake : uint32_t {
    kOneDriver = 1,   ///< one of those that are in use
    kDrivers = 2,     ///< all of them, and those that may be in use now
    kSides = 4,       ///< those whose action was `wait`
    kSource = 8,      ///< there may be space, see source_looks_again()
    kSink = 16,       ///< there may be an item to take
    kEmpty = 32,      ///< nothing may be in flight
    kAllWorkers = 64  ///< nothing is under way
  };
  /// Since the last call.
  uint32_t take_wakes() { return std::exchange(wakes_, 0); }

  enum class State : uint8_t { empty, queued, running, parked, done };
  struct Entry {
    Item* item = nullptr;
    State state = State::empty;
    // How far it is. Belongs to the driver that works on it.
    Way way{0, {}};
    int position = 0;  ///< on its way
    int restart = 0;   ///< position after the last stage that must not see this item twice
    int gate = 0;      ///< stages before this one are not to be waited for any more
    int waits_at = 0;  ///< stage, while its turn has not come
    bool waits_for_lane = false;  ///< rather than for its turn, without a driver
    Mapping mapping;
    bool has_cores = false;             ///< medium grain's
    int part_of_cores = 0;              ///< which part of them, where frames share them
    bool fell_back = false;             ///< the CPU computes the run at hand
    int lane = kNone;                   ///< of a device, while it has one
    int device = kNone;                 ///< on which it was last
    bool failed_before = false;         ///< on a device that is left out now
    Action sent;                        ///< what is computed there
    int sent_from = 0, sent_until = 0;  ///< positions of the piece that is enqueued
    uint64_t sent_ns = 0;
    uint64_t waits_since_ns = 0;
    uint64_t held_ns = 0;  ///< for Item::times
  };

 private:
  Entry& entry(uint64_t sequence) { return ring_[sequence % ring_.size()]; }
  const Entry& entry(uint64_t sequence) const { return ring_[sequence % ring_.size()]; }
  Entry& begin(uint64_t now_ns, const Idle& idle);
  bool may_begin() const {
    return next_begin_ < next_submit_ && !is_pending() && !(spaced_ && released_ < next_begin_) &&
           std::ssize(for_lane_) < static_cast<std::ptrdiff_t>(drivers());
  }
  bool fills_lanes() const;
  bool is_pending() const;
  bool has_to_wait() const;
  bool may_have_lanes() const;
  void apply_pending();
  void drivers_changed() { wakes_ |= kDrivers; }
  int most_waiting() const;
  int most_at_hand() const;
  void learn_service(uint64_t took_ns);
  void forget_service();
  void tell_sink(const Entry& done);
  void call_sink();
  int end_of_run(const Entry& entry) const;
  int end_of_cpu_part(const Entry& entry) const;
  bool is_its_turn(int stage, Entry& entry);
  Action leave(Entry& entry);
  void pass_gate(int stage, uint64_t sequence);
  bool take_cores(Entry& entry);
  void give_cores(Entry& entry);
  Action park_for_lane(Entry& entry);
  Action split_or_wait(Entry& entry);
  void lose(int device);
  uint8_t free_lanes(int device) const;
  int freest_device(int letter) const;
  bool has_free_lane(int letter) const { return freest_device(letter) != kNone; }
  bool every_letter_has_free_lane() const;
  Side side_of(const Mapping& mapping, int stage, const Letters& letters) const;
  Side side(const Entry& entry, int position) const;
  Mapping resolved(const Mapping& mapping, const Letters& letters) const;
  Letters letters_of(const Devices& devices) const;
  int devices_in_use() const;
  int kind_of(Side side) const;
  bool wants_device(const Entry& entry) const;
  bool lost_its_device(const Entry& entry) const;
  bool is_oldest(const Entry& entry, const std::vector<Entry*>& of) const;
  bool has_cpu(const Entry& entry, int last) const;
  bool may_take_lane(const Entry& entry) const;
  bool goes_on(const Entry& entry) const;
  Action take_lane(Entry& entry);
  void take_lane_of(Entry& entry);
  void offer_lane();
  Entry* ready_for_lane() const;
  Entry& take_up(Entry& entry, uint64_t now_ns);
  Entry* oldest_ready() const;
  bool has_sent(int device) const;
  Entry* uncollected() const;
  void wake_collectors(int besides);

  /// One of the devices.
  struct DeviceState {
    uint8_t used_lanes = 0;  ///< bit i: an item has its i-th
    bool failed = false;     ///< for good
    int collector = kNone;   ///< the driver that waits for it
    uint64_t left_ns = 0;    ///< when an item left it last
  };

  const std::vector<StageRules> stages_;
  const uint32_t device_only_;  ///< bit k: stage k has no CPU implementation
  const int cores_;
  std::vector<Entry> ring_;
  uint64_t next_submit_ = 0, next_begin_ = 0, next_take_ = 0, released_ = 0;
  uint64_t ready_ns_ = 0;        ///< when all that were taken were done
  uint64_t next_finish_ = 0;     ///< all before are done; has_space() brings it up to date
  std::vector<Entry*> ready_;    ///< that wait for a driver: their turn has come, or handed on
  std::vector<Entry*> waiting_;  ///< for a lane, each with a driver
  /// The same without one: parked, or about to try again.
  std::vector<Entry*> for_lane_;
  std::array<uint64_t, kMaxStages> gate_next_{};
  bool source_waits_ = false, source_waits_for_the_sink_ = false;
  int running_ = 0;
  uint64_t service_ns_ = 0;  ///< of the latest items, on average; 0: not known
  int batch_ = 0;            ///< how many are handed over together; 0: each by itself
  int held_back_ = 0;        ///< items that the sink could take and has not been told of
  bool aborted_ = false;
  Configuration current_, pending_;
  bool time_stages_ = false, pending_time_stages_ = false;
  bool spaced_ = false;
  uint64_t released_ns_ = 0;  ///< when an item was released last while they are spaced
  int window_;
  bool device_usable_;  ///< any
  std::array<DeviceState, kMaxDevices> devices_{};
  std::array<uint8_t, kMaxDevices> kinds_{};  ///< of each
  Letters letters_, pending_letters_;
  std::vector<Entry*> sent_;  ///< on the devices, the oldest first
  uint32_t cores_taken_ = 0;  ///< medium grain's: bit i, an item has part i of them
  bool cpu_fallback_ = true;
  uint32_t wakes_ = 0;
};

}  // namespace tandem
