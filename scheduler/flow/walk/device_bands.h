// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/status.h"
#include "scheduler/flow/walk/device_times.h"
#include "scheduler/flow/walk/walk_context.h"

namespace tandem {

/// The part of a frame's way that a device computes in bands of rows: while a band is computed, the
/// next one is uploaded and the one before is downloaded. No lock is held.
class DeviceBands {
 public:
  DeviceBands(WalkContext& context, const DeviceTimes& times) : context_(context), times_(times) {}

  /// How many positions from `first` on, before `last`, are computed in bands. Copies are made at
  /// both ends of a device run, so that positions that touch neither end gain nothing.
  int positions(const FrameEntry& entry, const FrameAction& action, int first, int last) const;
  /// Enqueues these positions band by band on the frame's lane.
  Status enqueue(FrameEntry& entry, int first, int last, bool to_host);

 private:
  WalkContext& context_;
  const DeviceTimes& times_;
};

}  // namespace tandem
