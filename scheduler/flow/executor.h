// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/bands.h"
#include "scheduler/flow/dispatch.h"
#include "scheduler/flow/item.h"
#include "scheduler/flow/split_plan.h"
#include "scheduler/flow/split_times.h"
#include "scheduler/flow/stage.h"
#include "scheduler/machine/clock.h"

namespace tandem {

/// Counts since start; times are summed over frames. A run of consecutive device stages is waited
/// for once: its stages share its time equally, without what it waited behind other frames.
struct ExecutorStats {
  struct PerStage {
    uint64_t cpu_frames = 0, device_frames = 0;
    uint64_t fused_frames = 0;  ///< of both: in one pass with other stages
    uint64_t cpu_ns = 0, device_ns = 0;
  };
  std::array<PerStage, kMaxStages> stages{};
  uint64_t frames = 0;         ///< finished
  uint64_t frames_cpu = 0;     ///< every stage on the CPU
  uint64_t frames_device = 0;  ///< every stage on the device
  uint64_t frames_mixed = 0;
  uint64_t frames_in_bands = 0;  ///< some stages on a device in bands
  uint64_t device_failures = 0;
  int in_flight = 0;
  SplitStats split;
};

/// Runs items through the stages under a configuration: several at a time, out again in order, by
/// the rules of Dispatch. nC + 1 driver threads ask it what to do.
///
/// One thread submits, one takes out; configure() and stats() may be called from any.
///
/// Locks: mutex_ guards the dispatch and is never held while a stage works. No other lock is taken
/// under it.
class Executor {
 public:
  /// Called on a driver thread, with no lock held, when a device failed and `left` others work on.
  /// With none left the mapping is all 'c' from then on. The items that it had are computed again.
  using DeviceFailed = std::function<void(const std::string& why, int left)>;

  /// Nanoseconds that never go back; from any thread.
  using Clock = uint64_t (*)();

  /// `cores` is nC, at least 1. `device` may be null: then no stage runs on it. The stages and the
  /// device must outlive the executor.
  Executor(std::vector<Stage*> stages, Device* device, int cores, DeviceFailed device_failed = {},
           Clock clock = tandem::now_ns);
  ~Executor();  ///< items still inside must have been taken out or aborted before

  int cores() const { return cores_; }
  static constexpr int kMaxWindow = Dispatch::kMaxWindow;
  /// Most items in flight from now on; clamped to 2 (nC + 1) ... kMaxWindow.
  void set_window(int items);
  int window() const;

  /// Whether the CPU computes a run of device stages when the device is busy (the default), or the
  /// frame waits for the device as in the earlier method that Vilches compares with (section V-B).
  /// Takes effect at once.
  void set_cpu_fallback(bool on);

  /// The configuration for the items that begin from now on: none does before those under way have
  /// finished. Threads are clamped to 1 ... nC + 1, stages that have no device to 'c'.
  /// `time_stages`: consecutive device stages are waited for one by one and their outputs copied
  /// there and back, so that Item::times tells them apart. Slower: for training.
  /// `spaced`: each begins when the one before it has been released; also for training.
  void configure(const Configuration& configuration, bool time_stages = false, bool spaced = false);
  Configuration configuration() const;

  /// Items that are submitted from now on are of another size: how long stages take is learnt anew.
  void frames_change();

  /// Hands over an item; blocks while too many are in flight. False when aborted: the item stays
  /// with the caller.
  bool submit(Item* item);
  /// For the thread that submits: whether so many items wait to begin, or submit() would block. The
  /// items that begin next have others behind them then.
  bool has_waiting(int items);
  /// For the thread that submits: the item that it submitted last, if that waits to begin, for a
  /// newer one to take its place without blocking. Null: it has begun, or the sink holds items up.
  Item* take_back();
  /// The next item in order, finished; blocks. Null when aborted and nothing is left to take out:
  /// after abort() the items that were not computed come out with a failed status.
  Item* take();
  /// Says that the item taken last has been dealt with: it no longer counts as in flight.
  void release();
  /// The same, and take() if that does not have to wait; null otherwise.
  Item* release_and_take();
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
  /// Processor time that its threads have taken, those that help with bands included.
  double cpu_s() const;
  /// Devices that have not failed: of one kind, or of all.
  int usable_devices(int kind = Dispatch::kNone) const;

 private:
  using Lock = std::unique_lock<std::mutex>;  // of mutex_
  using StageTimes = std::array<std::atomic<uint64_t>, kMaxStages>;

  // What is done between two looks at abort(), on the device or on one core: a stop takes at most a
  // few times as long.
  static constexpr uint64_t kPieceNs = 40'000'000;
  static Status aborted() { return Status::failed("aborted"); }

  uint64_t now_ns() const { return clock_(); }
  void drive(int index);
  bool walk(Dispatch::Entry& entry, Lock& lock);
  Status compute_on_cpu(Dispatch::Entry& entry, const Dispatch::Action& action);
  Status compute_split(Dispatch::Entry& entry, const Dispatch::Action& action);
  Status split_segment(Dispatch::Entry& entry, int first, std::span<const int> segment,
                       bool to_host);
  template <class Enqueue>
  Status compute_beside(Dispatch::Entry& entry, std::span<const int> stages, const SplitPlan& plan,
                        SplitTimes& times, Enqueue&& enqueue);
  Status enqueue_segment(Item& item, std::span<const int> segment, const SplitPlan& plan,
                         bool to_host);
  void count_sides(Item& item, std::span<const int> segment, SplitTimes& times);
  Status compute_last_rows(const Dispatch::Entry& entry, std::span<const int> stages,
                           std::span<const SplitRows> rows);
  BandPool& bands_of(const Dispatch::Entry& entry);
  bool send(Dispatch::Entry& entry, const Dispatch::Action& action, Lock& lock);
  bool collect(Dispatch::Entry& entry, Lock& lock);
  void finish_on_device(Dispatch::Entry& entry, const Dispatch::Action& action, Status status,
                        Lock& lock);
  void report(Dispatch::Entry& entry, const Dispatch::Action& action, const Status& status,
              Lock& lock);
  Status time_on_device(Item& item, const Way& way, int first, int last);
  Status run_on_cpu(Dispatch::Entry& entry, int position, int count);
  Status enqueue_piece(Dispatch::Entry& entry, const Dispatch::Action& action);
  int positions_in_bands(const Dispatch::Entry& entry, const Dispatch::Action& action, int first,
                         int last);
  Status enqueue_bands(Dispatch::Entry& entry, int first, int last, bool to_host);
  void compute_in_bands(Stage& stage, Item& item, int index);
  StageTimes& device_ns(int lane);
  bool is_long_on_device(int lane, int stage);
  int end_of_piece(const Dispatch::Entry& entry, const Dispatch::Action& action);
  void learn_device_ns(int lane, int stage, uint64_t took_ns, int count);
  void learn_piece(const Dispatch::Entry& entry, uint64_t took_ns);
  template <class Enqueue>
  Status at_its_pace(const Item& item, int stage, Enqueue&& enqueue);
  Status enqueue(Stage& stage, Item& item, int index, bool to_host);
  Status enqueue_split(Stage& stage, Item& item, int index, const SplitRows& rows, bool to_host);
  Stage& enter(Item& item, const Way& way, int position);
  static void note_pass(Item& item, int stage, int count);
  static int together(const Item& item, const Way& way, int position, int last, bool on_device);
  void count_time(Item& item, int stage, uint64_t ns, bool on_device, int count = 1);
  void count(const Item& item);
  uint32_t take_wakes();      ///< of threads that have a reason to look again
  void wake(uint32_t wakes);  ///< outside of mutex_ where possible: who wakes waits for it
  void unlock(Lock& lock);    ///< and wakes
  void release(const Lock& lock);

  const std::vector<Stage*> stages_;
  Device* const device_;
  const int cores_;
  const DeviceFailed device_failed_;
  const Clock clock_;

  mutable std::mutex mutex_;
  // Drivers that the configuration does not use stand by, so that waking one never wakes these.
  std::condition_variable work_, standby_, sides_, space_, finished_, idle_;
  Dispatch dispatch_;
  bool stopping_ = false;
  std::atomic<bool> stop_{false};  ///< aborted, for threads that compute

  // Of medium grain: of all cores, of both halves of them, of four quarters.
  std::vector<std::unique_ptr<BandPool>> bands_;

  // So that work is cut into pieces after which abort() is looked at; 0: not known yet.
  std::atomic<int> device_piece_{0};               // positions, in this configuration
  std::array<StageTimes, kMaxLetters> device_ns_;  // of a whole stage, on each kind of device
  std::array<std::atomic<uint64_t>, kMaxStages> compute_ns_;  // of a whole stage, on one core

  struct Counter {
    std::atomic<uint64_t> cpu_frames{0}, device_frames{0}, fused_frames{0}, cpu_ns{0}, device_ns{0};
  };
  std::array<Counter, kMaxStages> counters_;
  std::atomic<uint64_t> frames_{0}, frames_cpu_{0}, frames_device_{0}, frames_mixed_{0};
  std::atomic<uint64_t> frames_in_bands_{0};
  std::atomic<uint64_t> device_failures_{0};
  SplitCounter split_;

  std::vector<std::thread> threads_;
};

}  // namespace tandem
