// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include "scheduler/flow/execution/device_times.h"
#include "scheduler/flow/execution/execution_context.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// The positions of a frame's path that a device computes: whole, or in bands of rows. While a band
/// is computed, the next one is uploaded and the one before is downloaded. No lock is held; one
/// thread at a time for each lane.
class DeviceExecution {
 public:
  DeviceExecution(ExecutionContext& context, DeviceTimes& times)
      : context_(context), times_(times) {}

  /// Enqueues the piece of the action that begins at entry.sent_until, and starts it. After a
  /// failure nothing is left on the lane.
  Status enqueue_piece(FrameEntry& entry, const FrameAction& action);
  /// Computes the action stage by stage, waits for each, and measures its copies too.
  Status compute_apart(FrameEntry& entry, const FrameAction& action);
  /// Finishes the stages of an action that the device has computed.
  Status finish(FrameEntry& entry, const FrameAction& action);

 private:
  int positions_in_bands(const FrameEntry& entry, const FrameAction& action, int first,
                         int last) const;
  Status enqueue_bands(FrameEntry& entry, int first, int last, bool to_host);

  ExecutionContext& context_;
  DeviceTimes& times_;
};

}  // namespace tandem
