// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/rules/device_classes.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/rules/frame_ring.h"
#include "scheduler/flow/rules/ready_frames.h"
#include "scheduler/flow/rules/stage_runs.h"

namespace tandem {

/// The lanes of the devices: which are taken, and the frames that wait for one, the oldest first.
///
/// A lane is an in-order queue of a device, see Device; scheduler/learn chooses their number.
/// A frame goes to the device of its letter with the most free lanes. FrameEntry::lane is
/// `lane * devices + device`, as Device numbers them. A frame that waits either blocks its worker
/// or is parked without one; see Dispatch::next() for which.
class Lanes {
 public:
  Lanes(const FrameRing& frames, const DeviceClasses& device_classes, const StageRuns& runs,
        ReadyFrames& ready, int cores);

  /// Lanes of each device, 1 ... kMaxLanes.
  void set_count(int count) { count_ = count; }

  bool has_free(int letter) const {
    for (int d = 0; d < device_classes_.devices(); ++d)
      if (device_classes_.letter(d) == letter && free_lanes(d) != 0) return true;
    return false;
  }
  bool every_letter_has_free() const;
  /// Gives the frame a lane of the letter, which has a free one.
  void take(FrameEntry& entry, int letter);
  /// Takes the frame's lane back. Returns the nanoseconds during which it had the device to itself:
  /// since it was sent, or since the frame before it left, whichever was later.
  uint64_t leave(FrameEntry& entry, uint64_t now_ns);

  bool any_waits() const { return !with_worker_.empty() || !parked_.empty(); }
  std::ptrdiff_t with_worker() const { return std::ssize(with_worker_); }
  std::ptrdiff_t parked() const { return std::ssize(parked_); }  ///< or about to try again

  void wait(FrameEntry& entry) { with_worker_.push_back(&entry); }
  void park(FrameEntry& entry);
  /// The frame waits no more. Returns whether it had kept its worker.
  bool stop_waiting(FrameEntry& entry);

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
  FrameEntry* ready_to_take() const;

 private:
  // Bit i: lane i is free. A failed device has none.
  uint8_t free_lanes(int device) const {
    const int all = (1 << count_) - 1;
    return static_cast<uint8_t>(device_classes_.failed(device) ? 0 : all & ~devices_[device].used);
  }
  bool is_oldest(const FrameEntry& entry, const std::vector<FrameEntry*>& among) const;

  struct DeviceLanes {
    uint8_t used = 0;      ///< bit i: lane i is taken
    uint64_t left_ns = 0;  ///< when a frame left the device last
  };

  const FrameRing& frames_;
  const DeviceClasses& device_classes_;
  const StageRuns& runs_;
  ReadyFrames& ready_;
  int count_ = 1;
  std::array<DeviceLanes, kMaxDevices> devices_{};
  std::vector<FrameEntry*> with_worker_, parked_;
};

}  // namespace tandem
