// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <utility>

#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/rules/wakeups.h"

namespace tandem {

/// Medium grain: the cores as one device, in as many equal partitions as frames are computed at a
/// time. A frame keeps its partition from stage to stage, until it has to wait for anything else.
class CorePartitions {
 public:
  explicit CorePartitions(Wakeups& wakeups) : wakeups_(wakeups) {}

  /// False when all partitions are taken.
  bool take(FrameEntry& entry) {
    if (entry.has_cores) return true;
    const int free = std::countr_one(taken_);
    if (free >= entry.item->times.configuration.frames_at_once) return false;
    taken_ |= 1u << free;
    entry.core_partition = free;
    entry.has_cores = true;
    return true;
  }
  /// No effect if the frame has none.
  void give_back(FrameEntry& entry) {
    if (!std::exchange(entry.has_cores, false)) return;
    taken_ &= ~(1u << entry.core_partition);
    wakeups_.add(kSides);
  }

 private:
  Wakeups& wakeups_;
  uint32_t taken_ = 0;  ///< bit i: a frame has partition i
};

}  // namespace tandem
