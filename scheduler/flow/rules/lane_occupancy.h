// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>

#include "model/configuration.h"
#include "scheduler/flow/devices.h"
#include "scheduler/flow/rules/device_letters.h"
#include "scheduler/flow/rules/frame_entry.h"

namespace tandem {

/// Which lanes of the devices are taken. A frame goes to the device of its letter with the most
/// free lanes. FrameEntry::lane is `lane * devices + device`, as Device numbers them.
class LaneOccupancy {
 public:
  explicit LaneOccupancy(const DeviceLetters& letters) : letters_(letters) {}

  /// Lanes of each device, 1 ... kMaxLanes.
  void set_lanes(int lanes) { lanes_ = lanes; }

  bool has_free(int letter) const {
    for (int d = 0; d < letters_.devices(); ++d)
      if (letters_.letter(d) == letter && free_lanes(d) != 0) return true;
    return false;
  }
  bool every_letter_has_free() const;
  /// Gives the frame a lane of the letter, which has a free one.
  void take(FrameEntry& entry, int letter);
  /// Takes the frame's lane back. Returns the nanoseconds during which it had the device to itself:
  /// since it was sent, or since the frame before it left, whichever was later.
  uint64_t leave(FrameEntry& entry, uint64_t now_ns);

 private:
  // Bit i: lane i is free. A failed device has none.
  uint8_t free_lanes(int device) const {
    const int all = (1 << lanes_) - 1;
    return static_cast<uint8_t>(letters_.failed(device) ? 0 : all & ~devices_[device].used);
  }
  int freest_device(int letter) const;

  struct DeviceLanes {
    uint8_t used = 0;      ///< bit i: lane i is taken
    uint64_t left_ns = 0;  ///< when a frame left the device last
  };

  const DeviceLetters& letters_;
  int lanes_ = 1;
  std::array<DeviceLanes, kMaxDevices> devices_{};
};

}  // namespace tandem
