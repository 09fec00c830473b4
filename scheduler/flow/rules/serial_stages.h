// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <cstdint>

#include "model/configuration.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/rules/frame_ring.h"
#include "scheduler/flow/rules/ready_frames.h"

namespace tandem {

/// Serial stages let frames through in the order of the stream. A frame whose turn
/// has not come is parked. Any worker takes it on when the frame before it has passed.
class SerialStages {
 public:
  SerialStages(FrameRing& frames, ReadyFrames& ready) : frames_(frames), ready_(ready) {}

  /// Whether the stage lets this frame through. Notes that the frame waits there.
  bool is_turn(int stage, FrameEntry& entry) {
    entry.waits_at = stage;
    return next_[stage] == entry.item->sequence;
  }
  /// The sequence of the frame that the stage lets through.
  uint64_t turn(int stage) const { return next_[stage]; }
  /// The frame has passed the stage, or never will.
  void pass(int stage, uint64_t sequence) {
    next_[stage] = ++sequence;
    FrameEntry& next = frames_.entry(sequence);
    if (!frames_.has_begun(sequence) || next.state != FrameEntry::State::parked ||
        next.waits_at != stage)
      return;
    ready_.unpark(next);
  }
  /// All stages wait for the frame that is submitted next.
  void reset() { next_.fill(frames_.next_submitted()); }

 private:
  FrameRing& frames_;
  ReadyFrames& ready_;
  std::array<uint64_t, kMaxStages> next_{};  ///< sequence that each stage lets through
};

}  // namespace tandem
