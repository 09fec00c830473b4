// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/bands.h"
#include "scheduler/flow/dispatch.h"
#include "scheduler/flow/execution/cpu_execution.h"
#include "scheduler/flow/execution/device_execution.h"
#include "scheduler/flow/execution/device_times.h"
#include "scheduler/flow/execution/execution_context.h"
#include "scheduler/flow/execution/frame_counters.h"
#include "scheduler/flow/execution/shared_dispatch.h"
#include "scheduler/flow/execution/split_execution.h"
#include "scheduler/flow/item.h"
#include "scheduler/flow/stage.h"
#include "scheduler/flow/status.h"
#include "scheduler/machine/clock.h"

namespace tandem {

/// Runs frames through the stages under a configuration: several at a time, out again in order, by
/// the rules of Dispatch. nC + 1 worker threads request work from it; the classes in execution/
/// compute it.
///
/// One thread submits, one takes out; configure() and stats() may be called from any. All calls
/// take the lock of SharedDispatch, which states the lock order; only submit(), take(), drain() and
/// rest() block longer.
class Executor {
 public:
  /// Called on a worker thread, with no lock held, when a device failed and `left` others work on.
  /// With none left, the mapping is all 'c' from then on. The frames on the device are computed
  /// again.
  using DeviceFailed = std::function<void(const std::string& why, int left)>;

  /// Nanoseconds that never go back; from any thread.
  using Clock = ExecutionContext::Clock;

  /// `cores` is nC, at least 1. `device` may be null: then no stage runs on it. The stages and the
  /// device must outlive the executor.
  Executor(std::vector<Stage*> stages, Device* device, int cores, DeviceFailed device_failed = {},
           Clock clock = tandem::now_ns);
  ~Executor();  ///< frames still inside must have been taken out or aborted before

  int cores() const { return cores_; }
  static constexpr int kMaxWindow = Dispatch::kMaxWindow;
  /// Most frames in flight from now on; clamped to 2 (nC + 1) ... kMaxWindow.
  void set_window(int items);
  int window() const;
  /// Most frames between two that the same stages compute, from now on; see Intervals.
  void set_period(int frames);

  /// Whether the CPU computes a run of device stages if the device is busy (the default). Otherwise
  /// the frame waits, as in the earlier method that Vilches compares with (section V-B). Takes
  /// effect at once.
  void set_cpu_fallback(bool on);

  /// Sets the configuration of the frames that begin from now on; see Dispatch::configure().
  /// `time_stages`: consecutive device stages are waited for one by one and their outputs copied
  /// there and back, so that FrameTimes tells them apart. Slower: for training.
  /// `spaced`: each frame begins when the one before it has been released; also for training.
  void configure(const Configuration& configuration, bool time_stages = false, bool spaced = false);
  Configuration configuration() const;

  /// Called before frames of another size are submitted: service times are unknown again.
  void frames_change();

  /// Hands over a frame; blocks while too many are in flight. False when aborted: the frame stays
  /// with the caller.
  bool submit(Item* item);
  /// For the thread that submits: whether so many frames wait to begin, or submit() would block.
  /// The frames that begin next have others behind them then.
  bool has_waiting(int items);
  /// For the thread that submits: the frame that it submitted last, if that waits to begin, so that
  /// a newer one takes its place without blocking. Null: it has begun, or the sink holds frames up.
  Item* take_back();
  /// The next frame in order, finished; blocks. Null when aborted and nothing is left to take out:
  /// after abort() the frames that were not computed come out with a failed status.
  Item* take();
  /// The frame taken last is no longer in flight.
  void release();
  /// release(), and take() if that does not have to wait; null otherwise.
  Item* release_and_take();
  /// Waits until nothing is in flight, or aborted.
  void drain();
  /// Unblocks all callers until resume(). Frames that have not begun are not computed. Those under
  /// way fail as soon as the current band of rows or piece of device work is done.
  void abort();
  /// After abort(): waits until no stage computes any more.
  void rest();
  /// After abort(), when everything has been taken out.
  void resume();

  ExecutorStats stats() const;
  /// Processor time of its threads, those that help with bands included.
  double cpu_s() const;
  /// Devices that have not failed: of one kind, or of all.
  int usable_devices(int kind = Dispatch::kNone) const;

 private:
  using Lock = SharedDispatch::Lock;

  void release(const Lock& lock);
  void worker_loop(int worker);

  // On a worker thread. The lock is held on entry and on return, and released while a stage works.

  /// Computes until the frame has passed all stages: true. False when the frame was left, on the
  /// device or where it waits without a worker: then it belongs to another thread.
  bool execute(FrameEntry& entry, Lock& lock);
  /// Waits for a frame on the device, then goes on with it. Returns as execute() does.
  bool collect(FrameEntry& entry, Lock& lock);
  bool send(FrameEntry& entry, const FrameAction& action, Lock& lock);
  void finish_on_device(FrameEntry& entry, const FrameAction& action, Status status, Lock& lock);
  void report(FrameEntry& entry, const FrameAction& action, const Status& status, Lock& lock);

  const int cores_;
  ExecutionContext context_;
  SharedDispatch dispatch_;
  const DeviceFailed device_failed_;
  CorePools pools_;
  DeviceTimes device_times_;
  CpuExecution on_cpu_;
  DeviceExecution on_device_;
  SplitExecution on_both_;
  std::vector<std::thread> threads_;
};

}  // namespace tandem
