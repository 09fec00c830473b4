// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/bands.h"
#include "scheduler/flow/item.h"
#include "scheduler/flow/stage.h"

namespace tandem {

/// Counts since start; times are summed over frames. A run of consecutive device stages is waited
/// for once: its stages share its time equally.
struct ExecutorStats {
  struct PerStage {
    uint64_t cpu_frames = 0, device_frames = 0;
    uint64_t cpu_ns = 0, device_ns = 0;
  };
  std::array<PerStage, kMaxStages> stages{};
  uint64_t frames = 0;         ///< finished
  uint64_t frames_cpu = 0;     ///< every stage on the CPU
  uint64_t frames_device = 0;  ///< every stage on the device
  uint64_t frames_mixed = 0;
  uint64_t device_failures = 0;
  int in_flight = 0;
};

/// Runs items through the stages under a configuration: several at a time, out again in order.
///
/// Three bounds hold. At most as many items wait to begin as there are driver threads. At most
/// window() are in flight: where the device is many times faster than a core, frames that it has
/// computed wait for an older one that a core still computes, and only a window of that many frames
/// lets both work all the time. And no item is let in while a quarter of these wait for nothing but
/// to be taken out, or a sink slower than the stages would find the whole window in front of it.
///
/// One thread submits, one takes out; configure() and stats() may be called from any. Driver
/// threads take items in order. At a run of 'g' stages a driver takes the device slot if it is
/// free, else the CPU computes the run (paper 1, section II). Under medium grain the CPU is one
/// device too: whoever computes on it holds it, and uses all cores. Serial stages let items through
/// in order; an item whose turn has not come is left there, and whoever is free when it comes takes
/// it on.
///
/// Locks: mutex_ guards the ring and the gates and is never held while a stage works; cpu_mutex_
/// (medium grain) and the device slot are held while stages work. Who has the one does not wait for
/// the other.
class Executor {
 public:
  /// Called on a driver thread, with no lock held, when the device failed: the mapping is all 'c'
  /// from then on. The item that failed is computed on the CPU.
  using DeviceFailed = std::function<void(const std::string& why)>;

  /// `cores` is nC, at least 1. `device` may be null: then no stage runs on it. The stages and the
  /// device must outlive the executor.
  Executor(std::vector<Stage*> stages, Device* device, int cores, DeviceFailed device_failed = {});
  ~Executor();  ///< items still inside must have been taken out or aborted before

  int cores() const { return cores_; }
  static constexpr int kMaxWindow = 512;
  /// Most items in flight from now on; clamped to 2 (nC + 1) ... kMaxWindow.
  void set_window(int items);
  int window() const;

  /// Whether the CPU computes a run of device stages when the device is busy (the default), or the
  /// frame waits for the device as in the earlier method that paper 1 compares with (section V-B).
  /// Takes effect at once.
  void set_cpu_fallback(bool on) { cpu_fallback_ = on; }

  /// The configuration for the items that begin from now on: none does before those under way have
  /// finished. Threads are clamped to 1 ... nC + 1, stages that have no device to 'c'.
  /// `time_stages`: consecutive device stages are waited for one by one and their outputs copied
  /// there and back, so that Item::times tells them apart. Slower: for training.
  void configure(const Configuration& configuration, bool time_stages = false);
  Configuration configuration() const;

  /// Hands over an item; blocks while too many are in flight. False when aborted: the item stays
  /// with the caller.
  bool submit(Item* item);
  /// The next item in order, finished; blocks. Null when aborted and nothing is left to take out:
  /// after abort() the items that were not computed come out with a failed status.
  Item* take();
  /// Says that the item taken last has been dealt with: it no longer counts as in flight.
  void release();
  /// Waits until nothing is in flight, or aborted.
  void drain();
  /// Unblocks everybody; items not yet begun are not computed, and those under way are left as soon
  /// as the band of rows or the piece of device work at hand is done: they fail. Until resume().
  void abort();
  /// After abort(): waits until no stage works any more.
  void rest();
  /// After abort() and when everything has been taken out.
  void resume();

  ExecutorStats stats() const;

 private:
  enum class Slot : uint8_t { empty, queued, running, waiting, done };
  struct Entry {
    Item* item = nullptr;
    Slot state = Slot::empty;
    // How far it is. Belongs to the driver that works on it.
    int position = 0;  ///< on its way
    int restart = 0;   ///< position after the last stage that must not see this item twice
    int gate = 0;      ///< stages before this one are not to be waited for any more
    int waits_at = 0;  ///< stage, while its turn has not come
    Mapping mapping;
    uint64_t waits_since_ns = 0;
    uint64_t held_ns = 0;  ///< for Item::times
  };

  using Cores = std::unique_lock<std::mutex>;  // of cpu_mutex_

  void drive(int index);
  Entry& begin_next();
  bool process(Entry& entry, bool time_stages);
  int end_of_run(const Way& way, int first, const Mapping& mapping) const;
  Status run_on_device(Item& item, const Way& way, int first, int last);
  Status time_on_device(Item& item, const Way& way, int first, int last);
  Status finish_on_device(Item& item, const Way& way, int first, int last);
  Status run_on_cpu(Item& item, const Way& way, int position, Cores& cores);
  void compute_in_bands(Stage& stage, Item& item, int index);
  Stage& enter(Item& item, const Way& way, int position);
  void count_time(Item& item, int stage, uint64_t ns, bool on_device);
  bool take_device_slot(Cores& cores);
  void give_device_slot();
  void fail_device(const std::string& why);
  bool is_its_turn(int stage, int restart, Entry& entry);
  void pass_gate(int stage, uint64_t sequence);
  void drivers_changed();
  void forget_pieces();
  bool waits_for_the_sink();
  bool has_space();
  bool is_pending() const;
  void apply_pending();
  Configuration clamp(Configuration configuration) const;
  void count(const Item& item);
  Entry& entry(uint64_t sequence) { return ring_[sequence % ring_.size()]; }
  int drivers() const;

  const std::vector<Stage*> stages_;
  Device* const device_;
  const int cores_;
  const DeviceFailed device_failed_;

  mutable std::mutex mutex_;
  std::condition_variable work_, standby_, space_, finished_, idle_;
  std::vector<Entry> ring_;
  uint64_t next_submit_ = 0, next_begin_ = 0, next_take_ = 0, released_ = 0;
  uint64_t next_finish_ = 0;   ///< all before are done; has_space() brings it up to date
  std::vector<Entry*> ready_;  ///< whose turn has come meanwhile, one a serial stage at most
  std::array<uint64_t, kMaxStages> gate_next_{};
  bool source_waits_ = false;
  int running_ = 0;                   ///< begun and not done
  std::atomic<bool> aborted_{false};  // written under mutex_, read by stages' threads as well
  bool stopping_ = false;
  Configuration current_, pending_;
  bool time_stages_ = false, pending_time_stages_ = false;
  int window_;

  std::atomic<bool> device_busy_{false}, cpu_fallback_{true};
  std::atomic<bool> device_usable_;
  std::mutex cpu_mutex_;

  BandPool bands_;  // under cpu_mutex_

  // Under this configuration, so that work is cut into pieces after which abort() is looked at; 0:
  // not known yet.
  std::atomic<int> device_piece_{0};                          // positions of a way
  std::array<std::atomic<uint64_t>, kMaxStages> compute_ns_;  // of a whole stage, on one core

  struct Counter {
    std::atomic<uint64_t> cpu_frames{0}, device_frames{0}, cpu_ns{0}, device_ns{0};
  };
  std::array<Counter, kMaxStages> counters_;
  std::atomic<uint64_t> frames_{0}, frames_cpu_{0}, frames_device_{0}, frames_mixed_{0};
  std::atomic<uint64_t> device_failures_{0};

  std::vector<std::thread> threads_;
};

}  // namespace tandem
