// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/lanes.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace tandem {

Lanes::Lanes(const FrameRing& frames, const DeviceClasses& device_classes, const StageRuns& runs,
             ReadyFrames& ready, int cores)
    : frames_(frames), device_classes_(device_classes), runs_(runs), ready_(ready) {
  with_worker_.reserve(cores + 1);
  parked_.reserve(kMaxDevices * kMaxLanes + cores + 1);
}

bool Lanes::every_letter_has_free() const {
  for (int letter = 0; letter < kMaxLetters; ++letter)
    if (device_classes_.can_compute(letter) && !has_free(letter)) return false;
  return true;
}

void Lanes::take(FrameEntry& entry, int letter) {
  int most = 0;
  for (int d = 0; d < device_classes_.devices(); ++d) {
    if (device_classes_.letter(d) != letter || std::popcount(free_lanes(d)) <= most) continue;
    most = std::popcount(free_lanes(d));
    entry.device = d;
  }
  const int lane = std::countr_zero(free_lanes(entry.device));
  devices_[entry.device].used |= static_cast<uint8_t>(1 << lane);
  entry.lane = lane * device_classes_.devices() + entry.device;
}

uint64_t Lanes::leave(FrameEntry& entry, uint64_t now_ns) {
  DeviceLanes& device = devices_[entry.device];
  const int lane = std::exchange(entry.lane, kNoDevice) / device_classes_.devices();
  device.used &= static_cast<uint8_t>(~(1 << lane));
  const uint64_t since_ns = std::max(entry.sent_ns, std::exchange(device.left_ns, now_ns));
  return now_ns > since_ns ? now_ns - since_ns : 0;
}

void Lanes::park(FrameEntry& entry) {
  entry.waits_at = entry.path.stage(entry.position);
  entry.waits_for_lane = true;
  parked_.push_back(&entry);
}

bool Lanes::stop_waiting(FrameEntry& entry) {
  const bool had_worker = std::erase(with_worker_, &entry) > 0;
  if (std::exchange(entry.waits_for_lane, false)) std::erase(parked_, &entry);
  return had_worker;
}

// True if no frame among those that wait for the same letter is older.
bool Lanes::is_oldest(const FrameEntry& entry, const std::vector<FrameEntry*>& among) const {
  const int wanted = runs_.letter(entry);
  return std::ranges::none_of(among, [&](const FrameEntry* other) {
    return other->item->sequence < entry.item->sequence && runs_.letter(*other) == wanted;
  });
}

bool Lanes::may_take(const FrameEntry& entry) const {
  return has_free(runs_.letter(entry)) && is_oldest(entry, parked_);
}

bool Lanes::goes_on(const FrameEntry& entry) const {
  return frames_.aborted() || runs_.side(entry, entry.position) == Side::c || may_take(entry);
}

void Lanes::offer() {
  const bool all = frames_.aborted() || !device_classes_.any_usable();
  for (FrameEntry* entry : parked_) {
    if (entry->state != FrameEntry::State::parked || !goes_on(*entry)) continue;
    ready_.unpark(*entry, all ? kWorkers : kOneWorker);
  }
}

FrameEntry* Lanes::ready_to_take() const {
  const auto found = std::ranges::find_if(ready_.all(), [&](const FrameEntry* entry) {
    return entry->waits_for_lane && runs_.side(*entry, entry->position) != Side::c &&
           may_take(*entry);
  });
  return found == ready_.all().end() ? nullptr : *found;
}

}  // namespace tandem
