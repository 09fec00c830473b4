// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "gst/stageadapter.h"
#include "scheduler/executor.h"

namespace tandem {

/// What tandembin has between PAUSED and READY: the chain as the scheduler sees it, the executor
/// and the frames' items. Made with the pads inactive; destroyed when nothing flows any more.
class BinRun {
 public:
  BinRun(const std::vector<GstTandemStage*>& stages, int cores, Executor::DeviceFailed failed);
  ~BinRun();

  Executor& executor() { return *executor_; }
  int stages() const { return static_cast<int>(adapters_.size()); }
  StageAdapter& adapter(int k) { return *adapters_[k]; }
  bool changes_pixels() const { return changes_pixels_; }

  /// The device to compute on, for all stages; throws opencl::Error. Frames that are under way do
  /// not see it before the configuration changes.
  void use_device(std::shared_ptr<opencl::Context> context);
  std::shared_ptr<opencl::Context> context() const;

  /// An item for one frame, with the bin's queue; there are as many as can be in flight.
  FrameItem* acquire();
  void recycle(FrameItem* item);

  GstVideoInfo info{};                           ///< of the streaming thread
  bool negotiated = false;                       ///< likewise
  std::atomic<GstFlowReturn> flow{GST_FLOW_OK};  ///< what upstream is answered

 private:
  class QueueDevice;

  std::vector<StageAdapter*> adapters_;
  bool changes_pixels_ = false;
  mutable std::mutex mutex_;  // guards the device's context and the idle items
  std::unique_ptr<QueueDevice> device_;
  std::vector<std::unique_ptr<FrameItem>> items_;
  std::vector<FrameItem*> idle_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace tandem
