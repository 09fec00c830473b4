// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/execution/frame_counters.h"

#include <algorithm>

namespace tandem {

void FrameCounters::count(const Item& item) {
  const uint32_t computed = ((1u << stages_) - 1) & ~item.left_out;
  const bool split = item.times.configuration.mapping.any_split();
  if (computed == 0) {
    stats_.frames_passed += 1;
  } else {
    (item.device_stages == 0                    ? stats_.frames_cpu
     : item.device_stages == computed && !split ? stats_.frames_device
                                                : stats_.frames_mixed) += 1;
  }
  for (std::size_t k = 0; k < stages_; ++k) {
    if ((computed >> k & 1) == 0) continue;
    ExecutorStats::PerStage& stage = stats_.stages[k];
    if ((item.fused_stages >> k & 1) != 0) stage.fused_frames += 1;
    ((item.device_stages >> k & 1) != 0 ? stage.device_frames : stage.cpu_frames) += 1;
  }
  if (item.in_bands) stats_.frames_in_bands += 1;
  stats_.frames += 1;
}

void FrameCounters::count_time(Item& item, int stage, uint64_t ns, bool on_device, int count) {
  const uint64_t share_ns = ns / static_cast<uint64_t>(count);
  for (int k = stage; k < stage + count; ++k) {
    item.times.stage_ns[k] += share_ns;
    (on_device ? stats_.stages[k].device_ns : stats_.stages[k].cpu_ns) += share_ns;
  }
}

void FrameCounters::count_split(const SplitTimes& times, uint64_t now_ns) {
  SplitStats& split = stats_.split;
  split.segments += 1;
  split.prepare_ns += times.start_ns - times.begin_ns;
  split.enqueue_ns += times.enqueued_ns - times.start_ns;
  split.cores_ns += times.cores_ns();
  split.device_ns += times.device_ns();
  split.wait_ns += times.waited_ns - std::max(times.cores_done_ns, times.enqueued_ns);
  split.join_ns += now_ns - times.changed_ns;
}

}  // namespace tandem
