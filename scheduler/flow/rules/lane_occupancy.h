// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "model/configuration.h"
#include "scheduler/flow/devices.h"
#include "scheduler/flow/rules/device_classes.h"
#include "scheduler/flow/rules/frame_entry.h"

namespace tandem {

/// Which lanes of the devices are taken. A frame goes to the device of its letter with the most
/// free lanes. FrameEntry::lane is `lane * devices + device`, as Device numbers them.
class LaneOccupancy {
 public:
  explicit LaneOccupancy(const DeviceClasses& device_classes) : device_classes_(device_classes) {}

  /// Lanes of each device, 1 ... kMaxLanes.
  void set_lanes(int lanes) { lanes_ = lanes; }

  bool has_free(int letter) const {
    for (int d = 0; d < device_classes_.devices(); ++d)
      if (device_classes_.letter(d) == letter && free_lanes(d) != 0) return true;
    return false;
  }
  bool every_letter_has_free() const {
    for (int letter = 0; letter < kMaxLetters; ++letter)
      if (device_classes_.can_compute(letter) && !has_free(letter)) return false;
    return true;
  }
  /// Gives the frame a lane of the letter, which has a free one.
  void take(FrameEntry& entry, int letter) {
    const int device = freest_device(letter);
    const int lane = std::countr_zero(free_lanes(device));
    devices_[device].used |= static_cast<uint8_t>(1 << lane);
    entry.device = device;
    entry.lane = lane * device_classes_.devices() + device;
  }
  /// Takes the frame's lane back. Returns the nanoseconds during which it had the device to itself:
  /// since it was sent, or since the frame before it left, whichever was later.
  uint64_t leave(FrameEntry& entry, uint64_t now_ns) {
    DeviceLanes& device = devices_[entry.device];
    const int lane = std::exchange(entry.lane, kNoDevice) / device_classes_.devices();
    device.used &= static_cast<uint8_t>(~(1 << lane));
    const uint64_t since_ns = std::max(entry.sent_ns, std::exchange(device.left_ns, now_ns));
    return now_ns > since_ns ? now_ns - since_ns : 0;
  }

 private:
  // Bit i: lane i is free. A failed device has none.
  uint8_t free_lanes(int device) const {
    const int all = (1 << lanes_) - 1;
    return static_cast<uint8_t>(device_classes_.failed(device) ? 0 : all & ~devices_[device].used);
  }
  // kNoDevice: the letter has no free lane.
  int freest_device(int letter) const {
    int freest = kNoDevice, most = 0;
    for (int d = 0; d < device_classes_.devices(); ++d) {
      if (device_classes_.letter(d) != letter) continue;
      const int lanes = std::popcount(free_lanes(d));
      if (lanes > most) {
        most = lanes;
        freest = d;
      }
    }
    return freest;
  }

  struct DeviceLanes {
    uint8_t used = 0;      ///< bit i: lane i is taken
    uint64_t left_ns = 0;  ///< when a frame left the device last
  };

  const DeviceClasses& device_classes_;
  int lanes_ = 1;
  std::array<DeviceLanes, kMaxDevices> devices_{};
};

}  // namespace tandem
