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

/// What the scheduler knows of a stage. For one item the executor calls, on one thread,
///   prepare, begin, compute for disjoint bands (on many threads under medium grain), finish
/// on the CPU, or, on a lane of the device,
///   prepare of each stage of the run, enqueue of each on lane Item::lane, Device::start, and then,
///   mostly on another thread, Device::wait, finish of each
/// on the device, or, split, for each segment of the run,
///   prepare of each stage, share of each, then at the same time
///   enqueue_split of each and Device::start_timed, on this thread, and
///   begin of each and then compute of each from SplitRows::cores_begin on, on others: bands of a
///   stage when the rows that they need of those before it are there,
///   then Device::wait, finish_split of each
/// on both. Stages that Item::fused has together are asked as one: lead() of the first, and then
/// the calls above of it alone. A run that takes long is sent and waited for piece by piece; a
/// stage that takes long or is not known yet is enqueued between Device::pace of the lane and of
/// null. A stage that an item passes several times (Item::repeat) is asked so each time, with
/// Item::round counting. Different items go through a stage at the same time unless it is serial.
class Stage {
 public:
  virtual ~Stage() = default;

  virtual std::string name() const = 0;
  virtual bool serial() const { return false; }  ///< keeps state: frames pass it in stream order
  /// Changes what the item came with: what was computed before cannot be computed again, and
  /// device stages behind it are enqueued when it is finished.
  virtual bool changes_item() const { return false; }
  /// Has an OpenCL implementation that can be used now on devices of this kind.
  virtual bool has_device(int kind = 0) const = 0;
  /// Has a CPU implementation. Without one it is never begun, computed or finished on the CPU.
  virtual bool has_cpu() const { return true; }

  /// Until the next call, what is asked of this stage for the item is asked of `count` stages from
  /// this one on. Before prepare().
  virtual void lead(Item& /*item*/, int /*count*/) {}

  /// Finds the inputs and takes the outputs from their pools. Called again when a frame that failed
  /// on the device is computed on the CPU.
  virtual Status prepare(Item& item) = 0;
  /// Brings inputs and outputs to the host.
  virtual Status begin(Item& item) = 0;
  /// Rows that `compute` can be split into for this item; at least 1.
  virtual int rows(const Item& item) const = 0;
  /// Computes the half-open band [first, last) of rows. Must not fail and must not allocate.
  virtual void compute(Item& item, int first, int last) = 0;
  /// Enqueues the stage for the device without waiting; `to_host` when the next stage of the item
  /// runs on the CPU, so that the outputs come back with the same batch.
  virtual Status enqueue(Item& item, bool to_host) = 0;
  /// Whether a device can compute an item in bands, from the first rows to the last ones.
  virtual bool has_bands() const { return false; }
  /// enqueue() of the rows [first, last), which follow those enqueued before; copies are enqueued
  /// beside what computes. After prepare, and from row 0 to rows().
  virtual Status enqueue_band(Item& /*item*/, int /*first*/, int /*last*/, bool /*to_host*/) {
    return Status::failed(name() + " is not computed in bands.");
  }
  /// Enqueues a copy of the outputs that later stages read: to the host, or from there to the
  /// device again. Training measures what it takes.
  virtual Status enqueue_copy(Item& item, bool to_host) = 0;
  /// What is left when all rows are there: reductions are combined, results published.
  virtual Status finish(Item& item, bool on_device) = 0;

  /// Whether device and cores can compute rows of an item at the same time.
  virtual bool can_split() const { return false; }
  /// Whether what it makes of a split item is there only when both sides are done.
  virtual bool joins() const { return false; }
  /// The rows of stage `producer` that each side needs for its rows of this one; none() where it
  /// reads none of them. After prepare.
  virtual SplitRows needs(const Item& /*item*/, int /*producer*/, const SplitRows& /*rows*/) const {
    return SplitRows::none(std::numeric_limits<int>::max());
  }
  /// Brings the inputs of both sides to where they are computed, as far as the other one made them:
  /// from then on until finish_split() each side uses its memory as it is.
  virtual Status share(Item& /*item*/, const SplitRows& /*rows*/) { return {}; }
  /// Enqueues the device's rows, while other threads compute those of the cores. `to_host` as
  /// above.
  virtual Status enqueue_split(Item& /*item*/, const SplitRows& /*rows*/, bool /*to_host*/) {
    return Status::failed(name() + " cannot be split.");
  }
  /// finish(), when both sides have computed their rows. oneTBB's algorithms use the item's cores.
  virtual Status finish_split(Item& /*item*/, const SplitRows& /*rows*/) { return {}; }
};

/// The devices with their lanes: in-order queues, which overlap each other. Lane l is one of device
/// l % devices(). One thread at a time for each lane.
class Device {
 public:
  virtual ~Device() = default;
  virtual int devices() const { return 1; }  ///< 1 ... kMaxDevices
  /// Of which kind a device is, 0 ... kMaxLetters - 1; those of one kind have neighbouring numbers.
  virtual int kind(int /*device*/) const { return 0; }
  /// Hands to the device what was enqueued on the lane.
  virtual Status start(int lane) = 0;
  /// Waits until everything enqueued on the lane is done.
  virtual Status wait(int lane) = 0;
  /// start() of what is to be timed.
  virtual Status start_timed(int lane) { return start(lane); }
  /// After wait(): when the device was done with what start_timed() handed to it, in nanoseconds of
  /// the steady clock; 0: not known.
  virtual uint64_t done_ns(int /*lane*/) const { return 0; }
  /// From now on what is enqueued on the lane is waited for piece by piece, and fails once `stop`
  /// is set; null: enqueuing does not wait (the default).
  virtual void pace(int /*lane*/, const std::atomic<bool>* /*stop*/) {}
};

}  // namespace tandem
