// SPDX-License-Identifier: LGPL-2.1-or-later
// The lanes of the devices: which are free, who waits for one, who collects.
#include <algorithm>
#include <bit>

#include "scheduler/flow/dispatch.h"

namespace tandem {

// Its lanes go away; with the last device the mapping becomes all 'c'.
void Dispatch::lose(int device) {
  devices_[device].failed = true;
  drivers_changed();
  wakes_ |= kSides;
  device_usable_ = usable_devices() > 0;
  if (device_usable_) return;
  current_.mapping.sides = 0;
  pending_.mapping.sides = 0;
  offer_lane();
}

int Dispatch::usable_devices() const {
  if (!device_usable_) return 0;
  return static_cast<int>(std::count_if(devices_.begin(), devices_.begin() + device_count_,
                                        [](const DeviceState& each) { return !each.failed; }));
}

// Bit i: its i-th, of those that the configuration has.
uint8_t Dispatch::free_lanes(int device) const {
  const DeviceState& state = devices_[device];
  const int all = (1 << current_.lanes) - 1;
  return static_cast<uint8_t>(state.failed ? 0 : all & ~state.used_lanes);
}

// The device with the most free lanes; kNone: no lane is free.
int Dispatch::freest_device() const {
  int freest = kNone, most = 0;
  for (int d = 0; d < device_count_; ++d) {
    const int lanes = std::popcount(free_lanes(d));
    if (lanes > most) {
      most = lanes;
      freest = d;
    }
  }
  return freest;
}

Dispatch::Action Dispatch::take_lane(Entry& entry) {
  take_lane_of(entry);
  give_cores(entry);
  offer_lane();
  return {Action::Kind::device, entry.position, end_of_run(entry)};
}

// The device with the most free lanes, which there is.
void Dispatch::take_lane_of(Entry& entry) {
  const int device = freest_device();
  const int lane = std::countr_zero(free_lanes(device));
  devices_[device].used_lanes |= static_cast<uint8_t>(1 << lane);
  entry.device = device;
  entry.lane = lane * device_count_ + device;
}

bool Dispatch::is_oldest(const Entry& entry, const std::vector<Entry*>& of) {
  return std::ranges::none_of(
      of, [&](const Entry* other) { return other->item->sequence < entry.item->sequence; });
}

// Of those whose run no CPU can compute.
bool Dispatch::may_take_lane(const Entry& entry) const {
  return has_free_lane() && is_oldest(entry, for_lane_);
}

// The oldest that is parked for a lane goes on when there is one, all of them when there will be
// none any more.
void Dispatch::offer_lane() {
  const bool all = aborted_ || !device_usable_;
  for (Entry* entry : for_lane_) {
    if (entry->state != State::parked || !(all || may_take_lane(*entry))) continue;
    entry->state = State::running;
    ready_.push_back(entry);
    wakes_ |= all ? kDrivers : kOneDriver;
  }
}

// It would get a lane now.
Dispatch::Entry* Dispatch::ready_for_lane() const {
  const auto found = std::ranges::find_if(
      ready_, [&](const Entry* entry) { return entry->waits_for_lane && may_take_lane(*entry); });
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
  if (device_count_ == 1) return;
  for (int d = 0; d < device_count_; ++d)
    if (devices_[d].collector == kNone && has_sent(d) && --besides < 0) wakes_ |= kOneDriver;
}

}  // namespace tandem
