// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "model/configuration.h"
#include "scheduler/flow/bands.h"
#include "scheduler/flow/execution/execution_context.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// The positions of a frame's path that the CPU computes: on the calling thread under coarse grain,
/// on the frame's partition of the cores under medium grain. No lock is held. Thread-safe for
/// different frames.
class CpuExecution {
 public:
  CpuExecution(ExecutionContext& context, CorePools& pools) : context_(context), pools_(pools) {}

  Status compute(FrameEntry& entry, const FrameAction& action);
  /// Called for frames of another size: service times are unknown again.
  void frames_change();

 private:
  Status compute_fused(FrameEntry& entry, int position, int count);
  void compute_on_this_thread(Stage& stage, Item& item, int index);

  ExecutionContext& context_;
  CorePools& pools_;
  /// Times of whole stages on one core; 0: unknown.
  std::array<std::atomic<uint64_t>, kMaxStages> stage_ns_{};
};

}  // namespace tandem
