// SPDX-License-Identifier: LGPL-2.1-or-later
// The lanes of the devices: which are free, who waits for one, who collects.
#include <algorithm>
#include <bit>

#include "scheduler/flow/dispatch.h"

namespace tandem {

// Bit i: its i-th, of those that the configuration has.
uint8_t Dispatch::free_lanes(int device) const {
  const DeviceState& state = devices_[device];
  const int all = (1 << current_.lanes) - 1;
  return static_cast<uint8_t>(state.failed ? 0 : all & ~state.used_lanes);
}

// The device of the letter with the most free lanes; kNone: no lane is free.
int Dispatch::freest_device(int letter) const {
  int freest = kNone, most = 0;
  for (int d = 0; d < letters_.devices; ++d) {
    if (letters_.of[d] != letter) continue;
    const int lanes = std::popcount(free_lanes(d));
    if (lanes > most) {
      most = lanes;
      freest = d;
    }
  }
  return freest;
}

bool Dispatch::every_letter_has_free_lane() const {
  for (int letter = 0; letter < kMaxLetters; ++letter)
    if (letters_.capable[letter] != 0 && !has_free_lane(letter)) return false;
  return true;
}

Dispatch::Action Dispatch::take_lane(Entry& entry) {
  take_lane_of(entry);
  give_cores(entry);
  offer_lane();
  return {Action::Kind::device, entry.position, end_of_run(entry), kinds_[entry.device]};
}

// Takes a lane of the letter at its position, which has a free one.
void Dispatch::take_lane_of(Entry& entry) {
  const int device = freest_device(letter_of(side(entry, entry.position)));
  const int lane = std::countr_zero(free_lanes(device));
  devices_[device].used_lanes |= static_cast<uint8_t>(1 << lane);
  entry.device = device;
  entry.lane = lane * letters_.devices + device;
}

// Of those that wait for the same letter.
bool Dispatch::is_oldest(const Entry& entry, const std::vector<Entry*>& of) const {
  const int wanted = letter_of(side(entry, entry.position));
  return std::ranges::none_of(of, [&](const Entry* other) {
    return other->item->sequence < entry.item->sequence &&
           letter_of(side(*other, other->position)) == wanted;
  });
}

// Of those that are parked for one.
bool Dispatch::may_take_lane(const Entry& entry) const {
  return has_free_lane(letter_of(side(entry, entry.position))) && is_oldest(entry, for_lane_);
}

// There is a lane for it, or there will be none any more.
bool Dispatch::goes_on(const Entry& entry) const {
  return aborted_ || side(entry, entry.position) == Side::c || may_take_lane(entry);
}

// The oldest that is parked for a lane goes on when there is one, all of them when there will be
// none any more.
void Dispatch::offer_lane() {
  const bool all = aborted_ || !device_usable_;
  for (Entry* entry : for_lane_) {
    if (entry->state != State::parked || !goes_on(*entry)) continue;
    entry->state = State::running;
    ready_.push_back(entry);
    wakes_ |= all ? kDrivers : kOneDriver;
  }
}

// It would get a lane now.
Dispatch::Entry* Dispatch::ready_for_lane() const {
  const auto found = std::ranges::find_if(ready_, [&](const Entry* entry) {
    return entry->waits_for_lane && side(*entry, entry->position) != Side::c &&
           may_take_lane(*entry);
  });
  return found == ready_.end() ? nullptr : *found;
}

bool Dispatch::has_sent(int device) const {
  return std::ranges::any_of(sent_, [=](const Entry* each) { return each->device == device; });
}

// The item that was sent first of those on devices that nobody collects from; null: none.
Dispatch::Entry* Dispatch::uncollected() const {
  const auto found = std::ranges::find_if(
      sent_, [&](const Entry* each) { return devices_[each->device].collector == kNone; });
  return found == sent_.end() ? nullptr : *found;
}

// Wakes a driver when more devices than `besides` wait for a collector.
void Dispatch::wake_collectors(int besides) {
  if (letters_.devices == 1) return;
  for (int d = 0; d < letters_.devices; ++d)
    if (devices_[d].collector == kNone && has_sent(d) && --besides < 0) wakes_ |= kOneDriver;
}

}  // namespace tandem
