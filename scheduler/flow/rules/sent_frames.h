// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <array>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/rules/device_classes.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/rules/wakeups.h"

namespace tandem {

/// The frames on the devices, the one sent first in front, and the worker that collects from each
/// device. A device has at most one collector.
class SentFrames {
 public:
  SentFrames(const DeviceClasses& device_classes, Wakeups& wakeups)
      : device_classes_(device_classes), wakeups_(wakeups) {
    sent_.reserve(kMaxDevices * kMaxLanes);
    collectors_.fill(kNoDevice);
  }

  bool empty() const { return sent_.empty(); }
  bool any_on(int device) const {
    return std::ranges::any_of(sent_, [=](const FrameEntry* on) { return on->device == device; });
  }
  void add(FrameEntry& entry) { sent_.push_back(&entry); }
  /// The frame's next piece was enqueued: it is behind the others again.
  void move_back(FrameEntry& entry) {
    const auto at = std::ranges::find(sent_, &entry);
    std::rotate(at, at + 1, sent_.end());
  }
  void remove(FrameEntry& entry) { std::erase(sent_, &entry); }

  /// The frame sent first of those on devices without a collector; null: none.
  FrameEntry* uncollected() const {
    const auto found = std::ranges::find_if(
        sent_, [&](const FrameEntry* on) { return collectors_[on->device] == kNoDevice; });
    return found == sent_.end() ? nullptr : *found;
  }
  void collect(int device, int worker) { collectors_[device] = worker; }
  void stop_collecting(int device) { collectors_[device] = kNoDevice; }
  /// The worker no longer collects. Returns whether it did.
  bool release_collector(int worker) {
    const bool collected = std::ranges::count(collectors_, worker) > 0;
    std::ranges::replace(collectors_, worker, kNoDevice);
    return collected;
  }
  /// Wakes a worker if more devices than `besides` have frames and no collector.
  void wake_collectors(int besides) {
    if (device_classes_.devices() == 1) return;
    for (int d = 0; d < device_classes_.devices(); ++d)
      if (collectors_[d] == kNoDevice && any_on(d) && --besides < 0) wakeups_.add(kOneWorker);
  }

 private:
  const DeviceClasses& device_classes_;
  Wakeups& wakeups_;
  std::vector<FrameEntry*> sent_;
  std::array<int, kMaxDevices> collectors_;  ///< workers; negative: none
};

}  // namespace tandem
