// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/rules/ready_frames.h"

#include <algorithm>

namespace tandem {

FrameEntry* ReadyFrames::oldest() const {
  const auto oldest = std::ranges::min_element(
      frames_, {}, [](const FrameEntry* entry) { return entry->item->sequence; });
  return oldest == frames_.end() ? nullptr : *oldest;
}

FrameEntry& ReadyFrames::take(FrameEntry& entry, uint64_t now_ns) {
  std::erase(frames_, &entry);
  entry.item->times.waited_ns += now_ns - entry.waits_since_ns;
  return entry;
}

}  // namespace tandem
