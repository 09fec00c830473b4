// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/lane_occupancy.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tandem {

// kNoDevice: the letter has no free lane.
int LaneOccupancy::freest_device(int letter) const {
  int freest = kNoDevice, most = 0;
  for (int d = 0; d < letters_.devices(); ++d) {
    if (letters_.letter(d) != letter) continue;
    const int lanes = std::popcount(free_lanes(d));
    if (lanes > most) {
      most = lanes;
      freest = d;
    }
  }
  return freest;
}

bool LaneOccupancy::every_letter_has_free() const {
  for (int letter = 0; letter < kMaxLetters; ++letter)
    if (letters_.can_compute(letter) && !has_free(letter)) return false;
  return true;
}

void LaneOccupancy::take(FrameEntry& entry, int letter) {
  const int device = freest_device(letter);
  const int lane = std::countr_zero(free_lanes(device));
  devices_[device].used |= static_cast<uint8_t>(1 << lane);
  entry.device = device;
  entry.lane = lane * letters_.devices() + device;
}

uint64_t LaneOccupancy::leave(FrameEntry& entry, uint64_t now_ns) {
  DeviceLanes& device = devices_[entry.device];
  const int lane = std::exchange(entry.lane, kNoDevice) / letters_.devices();
  device.used &= static_cast<uint8_t>(~(1 << lane));
  const uint64_t since_ns = std::max(entry.sent_ns, std::exchange(device.left_ns, now_ns));
  return now_ns > since_ns ? now_ns - since_ns : 0;
}

}  // namespace tandem
