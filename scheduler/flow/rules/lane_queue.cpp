// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/lane_queue.h"

#include <algorithm>
#include <utility>

namespace tandem {

LaneQueue::LaneQueue(const Parts& parts, int cores) : parts_(parts) {
  with_worker_.reserve(cores + 1);
  parked_.reserve(kMaxDevices * kMaxLanes + cores + 1);
}

void LaneQueue::park(FrameEntry& entry) {
  entry.waits_at = entry.path.stage(entry.position);
  entry.waits_for_lane = true;
  parked_.push_back(&entry);
}

bool LaneQueue::remove(FrameEntry& entry) {
  const bool had_worker = std::erase(with_worker_, &entry) > 0;
  if (std::exchange(entry.waits_for_lane, false)) std::erase(parked_, &entry);
  return had_worker;
}

// True if no frame among those that wait for the same letter is older.
bool LaneQueue::is_oldest(const FrameEntry& entry, const std::vector<FrameEntry*>& among) const {
  const int wanted = parts_.runs.letter(entry);
  return std::ranges::none_of(among, [&](const FrameEntry* other) {
    return other->item->sequence < entry.item->sequence && parts_.runs.letter(*other) == wanted;
  });
}

bool LaneQueue::may_take(const FrameEntry& entry) const {
  return parts_.lanes.has_free(parts_.runs.letter(entry)) && is_oldest(entry, parked_);
}

bool LaneQueue::goes_on(const FrameEntry& entry) const {
  return parts_.frames.aborted() || parts_.runs.side(entry, entry.position) == Side::c ||
         may_take(entry);
}

void LaneQueue::offer() {
  const bool all = parts_.frames.aborted() || !parts_.device_classes.any_usable();
  for (FrameEntry* entry : parked_) {
    if (entry->state != FrameEntry::State::parked || !goes_on(*entry)) continue;
    parts_.ready.unpark(*entry, all ? kWorkers : kOneWorker);
  }
}

FrameEntry* LaneQueue::ready() const {
  const auto found = std::ranges::find_if(parts_.ready.all(), [&](const FrameEntry* entry) {
    return entry->waits_for_lane && parts_.runs.side(*entry, entry->position) != Side::c &&
           may_take(*entry);
  });
  return found == parts_.ready.all().end() ? nullptr : *found;
}

}  // namespace tandem
