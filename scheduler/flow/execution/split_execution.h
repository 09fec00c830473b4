// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <span>

#include "scheduler/flow/bands.h"
#include "scheduler/flow/execution/device_times.h"
#include "scheduler/flow/execution/execution_context.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/split_plan.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// The positions of a frame's path that a device and the frame's cores compute together, segment by
/// segment. Inside a segment neither side waits for the other. No lock is held.
class SplitExecution {
 public:
  SplitExecution(ExecutionContext& context, DeviceTimes& times, CorePools& pools)
      : context_(context), times_(times), pools_(pools) {}

  /// The device has nothing of the frame left when this returns, also after a failure.
  Status compute(FrameEntry& entry, const FrameAction& action);

 private:
  Status compute_segment(FrameEntry& entry, int first, std::span<const int> segment, bool to_host);
  template <class Enqueue>
  Status compute_beside(const FrameEntry& entry, std::span<const int> stages, const SplitPlan& plan,
                        SplitTimes& times, Enqueue&& enqueue);
  Status enqueue_segment(Item& item, std::span<const int> segment, const SplitPlan& plan,
                         bool to_host);
  Status compute_last_rows(const FrameEntry& entry, std::span<const int> stages,
                           std::span<const SplitRows> rows);
  void count_sides(Item& item, std::span<const int> segment, SplitTimes& times);

  ExecutionContext& context_;
  DeviceTimes& times_;
  CorePools& pools_;
};

}  // namespace tandem
