// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstddef>
#include <vector>

#include "scheduler/flow/rules/device_classes.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/rules/frame_ring.h"
#include "scheduler/flow/rules/lane_occupancy.h"
#include "scheduler/flow/rules/ready_frames.h"
#include "scheduler/flow/rules/stage_runs.h"

namespace tandem {

/// Frames that wait for a lane of their letter, the oldest first. A frame either blocks its worker
/// or is parked without one; see Dispatch::next() for which.
class LaneQueue {
 public:
  struct Parts {  ///< of Dispatch
    const FrameRing& frames;
    const DeviceClasses& device_classes;
    const StageRuns& runs;
    const LaneOccupancy& lanes;
    ReadyFrames& ready;
  };
  LaneQueue(const Parts& parts, int cores);

  bool empty() const { return with_worker_.empty() && parked_.empty(); }
  std::ptrdiff_t with_worker() const { return std::ssize(with_worker_); }
  std::ptrdiff_t parked() const { return std::ssize(parked_); }  ///< or about to try again

  void wait(FrameEntry& entry) { with_worker_.push_back(&entry); }
  void park(FrameEntry& entry);
  /// The frame waits no more. Returns whether it had kept its worker.
  bool remove(FrameEntry& entry);

  /// Whether the frame is the oldest of its letter among those that keep their workers.
  bool is_first_with_worker(const FrameEntry& entry) const {
    return is_oldest(entry, with_worker_);
  }
  /// Whether its letter has a free lane that no older parked frame waits for.
  bool may_take(const FrameEntry& entry) const;
  /// Whether a parked frame runs again: it may take a lane, or no lane will ever be free.
  bool goes_on(const FrameEntry& entry) const;
  /// Unparks the oldest frame of each letter with a free lane, or all if no lane is left.
  void offer();
  /// A frame without a worker that may take a lane now; null: none.
  FrameEntry* ready() const;

 private:
  bool is_oldest(const FrameEntry& entry, const std::vector<FrameEntry*>& among) const;

  const Parts parts_;
  std::vector<FrameEntry*> with_worker_, parked_;
};

}  // namespace tandem
