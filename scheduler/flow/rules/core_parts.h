// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/rules/wakeups.h"

namespace tandem {

/// Medium grain: the cores as one device, in as many equal parts as frames are computed at a time.
/// A frame keeps its part from stage to stage, until it has to wait for anything else.
class CoreParts {
 public:
  explicit CoreParts(Wakeups& wakeups) : wakeups_(wakeups) {}

  /// False when all parts are taken.
  bool take(FrameEntry& entry) {
    if (entry.has_cores) return true;
    const int part = std::countr_one(taken_);
    if (part >= entry.item->times.configuration.frames_at_once) return false;
    taken_ |= 1u << part;
    entry.part_of_cores = part;
    entry.has_cores = true;
    return true;
  }
  /// No effect if the frame has none.
  void give_back(FrameEntry& entry) {
    if (!std::exchange(entry.has_cores, false)) return;
    taken_ &= ~(1u << entry.part_of_cores);
    wakeups_.add(kSides);
  }

 private:
  Wakeups& wakeups_;
  uint32_t taken_ = 0;  ///< bit i: a frame has part i
};

}  // namespace tandem
