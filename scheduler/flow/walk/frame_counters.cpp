// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/walk/frame_counters.h"

namespace tandem {

void FrameCounters::count(const Item& item) {
  const uint32_t all = (1u << stages_) - 1;
  const bool split = item.times.configuration.mapping.any_split();
  add(item.device_stages == 0               ? frames_cpu_
      : item.device_stages == all && !split ? frames_device_
                                            : frames_mixed_,
      1);
  for (std::size_t k = 0; k < stages_; ++k) {
    PerStage& stage = per_stage_[k];
    if ((item.fused_stages >> k & 1) != 0) add(stage.fused_frames, 1);
    add((item.device_stages >> k & 1) != 0 ? stage.device_frames : stage.cpu_frames, 1);
  }
  if (item.in_bands) add(frames_in_bands_, 1);
  add(frames_, 1);
}

void FrameCounters::count_time(Item& item, int stage, uint64_t ns, bool on_device, int count) {
  const uint64_t share_ns = ns / static_cast<uint64_t>(count);
  for (int k = stage; k < stage + count; ++k) {
    item.times.stage_ns[k] += share_ns;
    add(on_device ? per_stage_[k].device_ns : per_stage_[k].cpu_ns, share_ns);
  }
}

ExecutorStats FrameCounters::read() const {
  ExecutorStats stats;
  for (std::size_t k = 0; k < stages_; ++k) {
    const PerStage& stage = per_stage_[k];
    stats.stages[k] = {stage.cpu_frames, stage.device_frames, stage.fused_frames, stage.cpu_ns,
                       stage.device_ns};
  }
  stats.frames = frames_;
  stats.frames_cpu = frames_cpu_;
  stats.frames_device = frames_device_;
  stats.frames_mixed = frames_mixed_;
  stats.frames_in_bands = frames_in_bands_;
  stats.device_failures = device_failures_;
  stats.split = split_.read();
  return stats;
}

}  // namespace tandem
