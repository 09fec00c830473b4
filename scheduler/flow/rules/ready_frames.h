// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/rules/wakeups.h"

namespace tandem {

/// Frames that wait for a worker: parked ones that may go on, and those that a collector has passed
/// on. The oldest is taken first.
class ReadyFrames {
 public:
  /// `most` frames are held without an allocation.
  ReadyFrames(std::size_t most, Wakeups& wakeups) : wakeups_(wakeups) { frames_.reserve(most); }

  void add(FrameEntry& entry, uint32_t wakeups = kOneWorker) {
    frames_.push_back(&entry);
    wakeups_.add(wakeups);
  }
  /// A parked frame runs again.
  void unpark(FrameEntry& entry, uint32_t wakeups = kOneWorker) {
    entry.state = FrameEntry::State::running;
    add(entry, wakeups);
  }
  std::ptrdiff_t count() const { return std::ssize(frames_); }
  const std::vector<FrameEntry*>& all() const { return frames_; }
  FrameEntry* oldest() const {  ///< null: none
    const auto oldest = std::ranges::min_element(
        frames_, {}, [](const FrameEntry* entry) { return entry->item->sequence; });
    return oldest == frames_.end() ? nullptr : *oldest;
  }
  /// A worker takes the frame, which has waited until now.
  FrameEntry& take(FrameEntry& entry, uint64_t now_ns) {
    std::erase(frames_, &entry);
    entry.item->times.waited_ns += now_ns - entry.waits_since_ns;
    return entry;
  }

 private:
  Wakeups& wakeups_;
  std::vector<FrameEntry*> frames_;
};

}  // namespace tandem
