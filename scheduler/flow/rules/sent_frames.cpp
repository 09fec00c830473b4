// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/sent_frames.h"

#include <algorithm>

namespace tandem {

SentFrames::SentFrames(const DeviceLetters& letters, Wakes& wakes)
    : letters_(letters), wakes_(wakes) {
  sent_.reserve(kMaxDevices * kMaxLanes);
  collectors_.fill(kNoDevice);
}

bool SentFrames::any_on(int device) const {
  return std::ranges::any_of(sent_, [=](const FrameEntry* each) { return each->device == device; });
}

void SentFrames::move_back(FrameEntry& entry) {
  const auto at = std::ranges::find(sent_, &entry);
  std::rotate(at, at + 1, sent_.end());
}

FrameEntry* SentFrames::uncollected() const {
  const auto found = std::ranges::find_if(
      sent_, [&](const FrameEntry* each) { return collectors_[each->device] == kNoDevice; });
  return found == sent_.end() ? nullptr : *found;
}

bool SentFrames::release_collector(int driver) {
  bool collected = false;
  for (int& collector : collectors_) {
    if (collector != driver) continue;
    collector = kNoDevice;
    collected = true;
  }
  return collected;
}

void SentFrames::wake_collectors(int besides) {
  if (letters_.devices() == 1) return;
  for (int d = 0; d < letters_.devices(); ++d)
    if (collectors_[d] == kNoDevice && any_on(d) && --besides < 0) wakes_.add(kOneDriver);
}

}  // namespace tandem
