// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/devices.h"
#include "scheduler/flow/rules/device_letters.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/rules/wakes.h"

namespace tandem {

/// The frames on the devices, the one sent first in front, and the driver that collects from each
/// device. A device has at most one collector.
class SentFrames {
 public:
  SentFrames(const DeviceLetters& letters, Wakes& wakes);

  bool empty() const { return sent_.empty(); }
  bool any_on(int device) const;
  void add(FrameEntry& entry) { sent_.push_back(&entry); }
  /// The frame's next piece was enqueued: it is behind the others again.
  void move_back(FrameEntry& entry);
  void remove(FrameEntry& entry) { std::erase(sent_, &entry); }

  /// The frame sent first of those on devices without a collector; null: none.
  FrameEntry* uncollected() const;
  void collect(int device, int driver) { collectors_[device] = driver; }
  void stop_collecting(int device) { collectors_[device] = kNoDevice; }
  /// The driver no longer collects. Returns whether it did.
  bool release_collector(int driver);
  /// Wakes a driver if more devices than `besides` have frames and no collector.
  void wake_collectors(int besides);

 private:
  const DeviceLetters& letters_;
  Wakes& wakes_;
  std::vector<FrameEntry*> sent_;
  std::array<int, kMaxDevices> collectors_;  ///< drivers; negative: none
};

}  // namespace tandem
