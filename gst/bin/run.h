// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/continuity.h>
#include <gst/tandem/private/flow/previousluma.h>
#include <gst/tandem/private/flow/stageadapter.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gst/bin/chain.h"
#include "gst/bin/device/deviceopening.h"
#include "gst/bin/eventqueue.h"
#include "gst/bin/fusion.h"
#include "gst/bin/latency.h"
#include "gst/bin/learning/controlleradapter.h"
#include "gst/bin/overload.h"
#include "gst/bin/runplan.h"
#include "scheduler/flow/executor.h"

namespace tandem::bin {

class QueueDevice;

/// The state of a bin from PAUSED to READY: the chain of stages, the executor and the items of
/// frames. Constructed with inactive pads, and destroyed when no frame is left.
class Run {
 public:
  /// `bin` is the source of messages and outlives the frames. The run holds references to the
  /// stages. Throws std::runtime_error if the chain cannot be run.
  Run(GstElement* bin, const RunPlan& plan);
  ~Run();  ///< after end()

  Executor& executor() { return *executor_; }
  std::string configuration() const { return to_string(executor_->configuration()); }
  int stages() const { return static_cast<int>(adapters_.size()); }
  StageAdapter& adapter(int k) const { return *adapters_[k]; }
  GstTandemStage* stage(int k) const { return stages_[k].get(); }
  /// Bit k: stage k has no CPU implementation, or none for a device. Constant, because other
  /// threads may read them while the stages are described again for the next run.
  uint32_t device_only() const { return device_only_; }
  uint32_t cpu_only() const { return cpu_only_; }
  /// The reason why frames cannot be split in stage `k`; empty: they can be split.
  const std::string& why_whole(int k) const { return why_whole_[k]; }

  /// Sets the device for all stages. Frames use it once the configuration changes. Throws
  /// opencl::Error.
  void use_device(const std::shared_ptr<opencl::Context>& context);
  std::shared_ptr<opencl::Context> context() const;  ///< null before use_device
  bool ended() const;                                ///< end() was called

  /// Whether the rules allow any stage on the device.
  std::atomic<bool> may_use_device{false};
  /// Returns an allocator of page-locked memory for upstream, which the device copies faster. Null:
  /// ordinary memory is as fast. The caller owns the reference.
  GstAllocator* frame_allocator(gsize frame_bytes);
  /// Counts the frames that arrived in such memory.
  uint64_t frames_page_locked() const { return frames_page_locked_; }

  DeviceSearch& device_search() { return search_; }

  /// Returns the devices that work, as the controller sees them.
  DeviceSide device_side() const;

  /// Opens the device on a thread while frames pass already. `open` returns a function that calls
  /// end_opening(). Called before the first frame, if RunPlan::open_device is set.
  void open_device_with(std::function<DeviceOpening::TakeOver()> open) {
    opening_.open_with(std::move(open));
  }
  void end_opening(OpenedDevice opened);

  /// Sets the callback for the moment at which devices join while frames pass already. It runs on a
  /// thread of its own. Called before the first frame.
  void when_device_joins(std::function<void()> joined) { device_joined_ = std::move(joined); }

  ControllerAdapter& controller() const { return *controller_; }

  /// Adds the bin's own latency to an answered query. The maximum covers all frames that can be in
  /// flight. No effect before the first caps.
  void add_latency(GstQuery* query) const;

  /// Sets the caps of the frames that follow, with none in flight. Null: frames are refused.
  /// `live`: the source is live. For the streaming thread.
  void set_caps(GstCaps* caps, bool live);
  bool negotiated() const { return negotiated_; }  ///< for the streaming thread
  /// Submits a frame that arrived on `sink` to the executor, or drops it, and takes ownership. The
  /// first frame after a change of the stages' work waits until no frame is in flight. For the
  /// streaming thread.
  GstFlowReturn accept(GstPad* sink, GstBuffer* buffer);
  /// Queues the event behind the frames in flight and takes ownership. False: the caller drains and
  /// sends it. For the streaming thread.
  bool accept(GstEvent* event) { return events_.take(event, accepted_); }
  /// Called for each serialized event between two frames. For the streaming thread.
  void follow(GstEvent* event);
  /// The pad on which frames leave: the last stage's, where probes and tracers expect them.
  GstPad* output_pad() const;
  /// Waits for the next frame in order, then pushes it and the finished frames behind it, each with
  /// the events that follow it. Returns false if aborted and no frame is left. For the source pad's
  /// task.
  bool push_next(const EventQueue::Send& send);

  /// Drops all frames from now on, and wakes the threads that wait.
  void abort();
  /// Releases the aborted frames and accepts new ones, unless the run is being shut down. Sticky
  /// events stay on `src`. Called with the task and the streaming thread at rest.
  void resume(GstPad* src);
  /// As abort(), permanently. Returns when no stage computes any more.
  void shut_down();
  /// Releases the frames and the stages after shut_down(), with pads and task at rest. The
  /// statistics stay available.
  void end();

  Overload& overload() { return overload_; }

  std::atomic<bool> keep_tensors{false};  ///< leave the stages' tensors on the outgoing frames

 private:
  void frames_change();
  bool begin_other_work();
  void make_items();
  FrameItem* acquire();
  GstBuffer* close(FrameItem* item);
  GstBuffer* take_back();
  void push(FrameItem* item, const EventQueue::Send& send);
  void drop_all(GstPad* src);
  void device_failed(const std::string& why, int left);

  GstElement* const bin_;
  std::vector<ObjectRef<GstTandemStage>> stages_;
  std::vector<StageAdapter*> adapters_;
  std::unique_ptr<Fusion> fusion_;
  ChainWork work_;  // of the streaming thread
  const ChainRepeat repeat_;
  ChainIntervals intervals_;  // of the streaming thread
  bool changes_pixels_ = false;
  uint32_t needs_previous_ = 0;  // bit k: stage k
  uint32_t device_only_ = 0, cpu_only_ = 0;
  std::vector<std::string> why_whole_;
  PreviousLuma previous_;    // of the streaming thread
  CapsRef caps_;             // of the streaming thread; null: not negotiated
  GstVideoInfo info_{};      // likewise
  bool negotiated_ = false;  // likewise
  bool live_ = false;        // likewise: the source does not wait
  uint64_t accepted_ = 0;    // likewise: frames
  FrameInterval interval_;   // likewise
  Continuity continuity_;    // likewise
  EventQueue events_;
  Overload overload_;
  std::unique_ptr<ControllerAdapter>
      controller_;  // outlives the executor, whose threads report to it
  // Last result of downstream. Upstream gets it once, as from a chain of plain elements; an error
  // stays until a flush.
  std::atomic<GstFlowReturn> flow_{GST_FLOW_OK};
  std::atomic<bool> dropping_{false}, shut_down_{false};
  std::atomic<uint64_t> frames_page_locked_{0};
  std::atomic<bool> any_left_out_{false};  // a device has failed
  mutable std::mutex mutex_;  // guards the device's context, the idle items and what follows
  bool ended_ = false;
  ObjectRef<GstAllocator> frame_allocator_;
  gsize allocator_frame_bytes_ = 0;
  std::unique_ptr<QueueDevice> device_;
  bool device_joins_later_ = false;  // under the bin's configure_mutex
  std::function<void()> device_joined_;
  DeviceOpening opening_;
  DeviceSearch search_;
  // One for each frame that can be in flight, and one for the frame that waits to be submitted.
  std::vector<std::unique_ptr<FrameItem>> items_;
  std::vector<FrameItem*> idle_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace tandem::bin
