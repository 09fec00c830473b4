// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>

#include "scheduler/flow/bands.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/status.h"
#include "scheduler/flow/walk/cpu_walk.h"
#include "scheduler/flow/walk/device_times.h"
#include "scheduler/flow/walk/device_walk.h"
#include "scheduler/flow/walk/shared_dispatch.h"
#include "scheduler/flow/walk/split_walk.h"
#include "scheduler/flow/walk/walk_context.h"

namespace tandem {

/// One frame's way through the stages, on a driver thread: carries out the actions of the dispatch
/// and reports their results. Called with the dispatch's lock held; the lock is released while a
/// stage works, and held again on return.
class FrameWalk {
 public:
  using Lock = SharedDispatch::Lock;
  /// Called on a driver thread, with no lock held, when a device failed and `left` others work on.
  using DeviceFailed = std::function<void(const std::string& why, int left)>;

  FrameWalk(WalkContext& context, SharedDispatch& dispatch, int cores, DeviceFailed device_failed);

  /// Walks until the frame has passed all stages: true. False when the frame was left, on the
  /// device or where it waits without a driver: then it belongs to another thread.
  bool walk(FrameEntry& entry, Lock& lock);
  /// Waits for a frame on the device, then walks on with it. Returns as walk() does.
  bool collect(FrameEntry& entry, Lock& lock);

  /// Frames of another size come: the times of stages are unknown.
  void frames_change();
  /// Another configuration applies.
  void configuration_changes() { times_.configuration_changes(); }
  double helpers_cpu_s() const { return pools_.helpers_cpu_s(); }

 private:
  bool send(FrameEntry& entry, const FrameAction& action, Lock& lock);
  void finish_on_device(FrameEntry& entry, const FrameAction& action, Status status, Lock& lock);
  void report(FrameEntry& entry, const FrameAction& action, const Status& status, Lock& lock);

  WalkContext& context_;
  SharedDispatch& dispatch_;
  const DeviceFailed device_failed_;
  CorePools pools_;
  DeviceTimes times_;
  CpuWalk on_cpu_;
  DeviceWalk on_device_;
  SplitWalk split_;
};

}  // namespace tandem
