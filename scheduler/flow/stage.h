// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>

#include "scheduler/flow/item.h"
#include "scheduler/flow/split_rows.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// A stage of the chain, as the executor calls it. For one frame:
///
/// | side | calls, in this order |
/// | --- | --- |
/// | CPU | prepare, begin, compute for disjoint bands of rows, finish |
/// | device | prepare and enqueue of each stage of the run, Device::start |
/// | ... later | Device::wait, finish of each |
/// | split | for each segment: prepare of each stage, share of each, then both sides at once |
/// | ... device side | enqueue_split of each, Device::start_timed |
/// | ... CPU side | begin of each, compute of each from SplitRows::cores_begin on |
/// | ... later | Device::wait, finish_split of each |
///
/// - Calls for one frame come from one thread at a time. Exceptions: compute() runs on many threads
///   under medium grain, and the sides of a split segment run on different threads.
/// - Different frames pass a stage at the same time, unless it is serial.
/// - Between start and wait a frame mostly changes its thread.
/// - Stages that Item::fused joins are called as one: lead() of the first, then the calls above for
///   the first alone.
/// - A long run is sent and waited for in pieces. A stage that is long, or of unknown length, is
///   enqueued between two calls of Device::pace.
/// - A stage that a frame passes several times (Item::repeat) is called each time; Item::round
///   counts.
class Stage {
 public:
  virtual ~Stage() = default;

  virtual std::string name() const = 0;
  virtual bool serial() const { return false; }  ///< has state: frames pass it in stream order
  /// Changes the frame's own data: the stages before cannot be computed again, and device stages
  /// behind it are enqueued after it is finished.
  virtual bool changes_item() const { return false; }
  /// Has an OpenCL implementation that is usable now on devices of this kind.
  virtual bool has_device(int kind = 0) const = 0;
  /// Has a CPU implementation. Without one it is never begun, computed or finished on the CPU.
  virtual bool has_cpu() const { return true; }

  /// Until the next call, the calls of this stage for the frame stand for `count` stages from this
  /// one on. Called before prepare().
  virtual void lead(Item& /*item*/, int /*count*/) {}

  /// Finds the inputs and takes the outputs from their pools. Called again if a frame that failed
  /// on the device is computed on the CPU.
  virtual Status prepare(Item& item) = 0;
  /// Brings inputs and outputs to the host.
  virtual Status begin(Item& item) = 0;
  /// Rows that `compute` can be split into for this item; at least 1.
  virtual int rows(const Item& item) const = 0;
  /// Computes the half-open band [first, last) of rows. Must not fail and must not allocate.
  virtual void compute(Item& item, int first, int last) = 0;
  /// Enqueues the stage for the device without waiting. `to_host`: the next stage of the frame runs
  /// on the CPU, so that the outputs come back with the same batch.
  virtual Status enqueue(Item& item, bool to_host) = 0;
  /// Whether a device can compute a frame in bands, from the first rows to the last ones.
  virtual bool has_bands() const { return false; }
  /// Enqueues the rows [first, last), which follow those enqueued before, from row 0 to rows().
  /// Copies are enqueued beside the kernels. After prepare().
  virtual Status enqueue_band(Item& /*item*/, int /*first*/, int /*last*/, bool /*to_host*/) {
    return Status::failed(name() + " is not computed in bands.");
  }
  /// Enqueues a copy of the outputs that later stages read: to the host, or from there to the
  /// device again. Training measures its time.
  virtual Status enqueue_copy(Item& item, bool to_host) = 0;
  /// Completes the stage after all rows: combines reductions, publishes results.
  virtual Status finish(Item& item, bool on_device) = 0;

  /// Whether device and cores can compute rows of a frame at the same time.
  virtual bool can_split() const { return false; }
  /// Whether its results for a split frame exist only after both sides are done.
  virtual bool joins() const { return false; }
  /// The rows of stage `producer` that each side needs for its `rows` of this one; none() if it
  /// reads none of them. After prepare().
  virtual SplitRows needs(const Item& /*item*/, int /*producer*/, const SplitRows& /*rows*/) const {
    return SplitRows::none(std::numeric_limits<int>::max());
  }
  /// Copies the inputs that one side made and the other one needs. Until finish_split() each side
  /// then uses its own memory.
  virtual Status share(Item& /*item*/, const SplitRows& /*rows*/) { return {}; }
  /// Enqueues the device's rows, while other threads compute those of the cores. `to_host` as in
  /// enqueue().
  virtual Status enqueue_split(Item& /*item*/, const SplitRows& /*rows*/, bool /*to_host*/) {
    return Status::failed(name() + " cannot be split.");
  }
  /// Completes the stage after both sides. oneTBB's algorithms use the frame's cores.
  virtual Status finish_split(Item& /*item*/, const SplitRows& /*rows*/) { return {}; }
};

/// The devices with their lanes: in-order queues, which overlap each other. Lane l belongs to
/// device l % devices(). One thread at a time for each lane. gst/bin/device implements it.
class Device {
 public:
  virtual ~Device() = default;
  virtual int devices() const { return 1; }  ///< 1 ... kMaxDevices
  /// The kind of a device, 0 ... kMaxLetters - 1. Devices of one kind have neighbouring numbers.
  virtual int kind(int /*device*/) const { return 0; }
  /// Flushes the lane: the device begins with the enqueued commands.
  virtual Status start(int lane) = 0;
  /// Waits until all commands on the lane are done.
  virtual Status wait(int lane) = 0;
  /// start() of commands that are to be timed.
  virtual Status start_timed(int lane) { return start(lane); }
  /// After wait(): when the device was done with the commands of start_timed(), in nanoseconds of
  /// the steady clock; 0: unknown.
  virtual uint64_t done_ns(int /*lane*/) const { return 0; }
  /// From now on commands enqueued on the lane are waited for piece by piece, and fail once `stop`
  /// is set. Null: enqueuing does not wait (the default).
  virtual void pace(int /*lane*/, const std::atomic<bool>* /*stop*/) {}
};

}  // namespace tandem
