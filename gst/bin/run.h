// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <gst/tandem/private/continuity.h>
#include <gst/tandem/private/previousluma.h>
#include <gst/tandem/private/stageadapter.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "gst/bin/chain.h"
#include "gst/bin/control.h"
#include "gst/bin/deviceopening.h"
#include "gst/bin/eventline.h"
#include "gst/bin/fusion.h"
#include "gst/bin/latency.h"
#include "gst/bin/overload.h"
#include "gst/bin/plan.h"
#include "scheduler/flow/executor.h"

namespace tandem::bin {

/// What tandembin has between PAUSED and READY: the chain as the scheduler sees it, the executor
/// and the frames' items. Made with the pads inactive; destroyed when nothing flows any more.
class Run {
 public:
  /// `bin` is who speaks on the bus; it outlives the frames. The stages are kept alive. Throws
  /// std::runtime_error when the chain cannot be run.
  Run(GstElement* bin, const RunPlan& plan);
  ~Run();  ///< after end()

  Executor& executor() { return *executor_; }
  std::string configuration() const { return to_string(executor_->configuration()); }
  int stages() const { return static_cast<int>(adapters_.size()); }
  StageAdapter& adapter(int k) const { return *adapters_[k]; }
  GstTandemStage* stage(int k) const { return stages_[k].get(); }
  /// Bit k: stage k has no CPU implementation, or none for a device. Fixed for the run: others may
  /// still ask it while the stages are described anew for the next one.
  uint32_t device_only() const { return device_only_; }
  uint32_t cpu_only() const { return cpu_only_; }
  /// Why frames cannot be split in stage k; empty: they can.
  const std::string& why_whole(int k) const { return why_whole_[k]; }

  /// The device to compute on, for all stages; throws opencl::Error. Frames that are under way do
  /// not see it before the configuration changes.
  void use_device(const std::shared_ptr<opencl::Context>& context);
  std::shared_ptr<opencl::Context> context() const;  ///< null before use_device
  bool ended() const;                                ///< end() was called

  /// Whether the rules let any stage compute on the device.
  std::atomic<bool> may_use_device{false};
  /// What upstream is to take memory for frames of this size from, so that the device copies them
  /// without a detour; null when ordinary memory does as well. The caller owns the reference.
  GstAllocator* frame_allocator(gsize frame_bytes);
  uint64_t frames_page_locked() const { return frames_page_locked_; }  ///< that came in such memory

  DeviceProvider& device_provider() { return provider_; }

  /// What the chain has of the devices that work.
  DeviceSide device_side() const;

  /// Finds the device on a thread, while frames pass already, for a run that was made so. What
  /// `open` returns hands what there is to end_opening(). For before the first frame.
  void open_device_with(std::function<DeviceOpening::TakeOver()> open) {
    opening_.open_with(std::move(open));
  }
  void end_opening(OpenedDevice opened);

  /// What is called, on a thread of its own, when the devices have joined frames that pass already.
  /// For before the first of them.
  void when_device_joins(std::function<void()> joined) { device_joined_ = std::move(joined); }

  Control& control() const { return *control_; }

  /// Adds the bin's own latency to an answered query, once caps have come. Its maximum is that of
  /// all frames that can wait in line.
  void add_latency(GstQuery* query) const;

  /// For the streaming thread, with nothing in flight. Null: no frame can be taken. `live`: they
  /// are of a live source.
  void set_caps(GstCaps* caps, bool live);
  bool negotiated() const { return negotiated_; }  ///< for the streaming thread
  /// For the streaming thread: hands a frame that came in on `sink` to the executor, or drops it;
  /// takes over the buffer. The first frame after a change of the stages' work waits until nothing
  /// is in flight.
  GstFlowReturn accept(GstPad* sink, GstBuffer* buffer);
  /// For the streaming thread: lets the event follow the frames in flight; takes it over when it
  /// returns true. False: the caller drains and sends it.
  bool accept(GstEvent* event) { return events_.take(event, accepted_); }
  /// For the streaming thread: a serialized event comes between two frames.
  void follow(GstEvent* event);
  /// The pad on which frames leave: the last stage's, so that probes and tracers see them there.
  GstPad* way_out() const;
  /// For the source pad's task: waits for the next frame in order and pushes it and those behind it
  /// that are done, each with the events that came after it. False when aborted and nothing is
  /// left.
  bool push_next(const EventLine::Send& send);

  /// Frames are dropped from now on, and who waits is woken.
  void abort();
  /// After abort() and with the task and the streaming thread at rest: lets go of what is still
  /// inside and starts afresh, unless the run is being shut down. Sticky events stay on `src`.
  void resume(GstPad* src);
  /// As abort(), for good; returns when no stage works any more.
  void shut_down();
  /// After shut_down(), with pads and task at rest: lets go of the frames and the stages. Others
  /// may still hold the run to ask for its statistics.
  void end();

  /// What is dropped of a source that is faster than the stages.
  Overload& overload() { return overload_; }

  std::atomic<bool> keep_tensors{false};  ///< leave what the stages made on the frames

 private:
  class QueueDevice;

  void frames_change();
  bool begin_other_work();
  void make_items();
  FrameItem* acquire();
  GstBuffer* close(FrameItem* item);
  GstBuffer* take_back();
  void push(FrameItem* item, const EventLine::Send& send);
  void drop_all(GstPad* src);
  void device_failed(const std::string& why, int left);

  GstElement* const bin_;
  std::vector<ObjectRef<GstTandemStage>> stages_;
  std::vector<StageAdapter*> adapters_;
  std::unique_ptr<Fusion> fusion_;
  ChainWork work_;  // of the streaming thread
  const ChainRepeat repeat_;
  bool changes_pixels_ = false, needs_previous_ = false;
  uint32_t device_only_ = 0, cpu_only_ = 0;
  std::vector<std::string> why_whole_;
  PreviousLuma previous_;    // of the streaming thread
  CapsRef caps_;             // of the streaming thread; null: not negotiated
  GstVideoInfo info_{};      // likewise
  bool negotiated_ = false;  // likewise
  bool live_ = false;        // likewise: frames come at the rate of the caps, whatever is done
  uint64_t accepted_ = 0;    // likewise: frames
  FrameInterval interval_;   // likewise
  Continuity continuity_;    // likewise
  EventLine events_;
  Overload overload_;
  std::unique_ptr<Control> control_;  // outlives the executor, whose threads report to it
  // What downstream answered, for upstream to be told once, as a chain of plain elements would; an
  // error is told until a flush.
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
  DeviceProvider provider_;
  // As many as can be in flight, and one for the frame that waits to be let in.
  std::vector<std::unique_ptr<FrameItem>> items_;
  std::vector<FrameItem*> idle_;
  std::unique_ptr<Executor> executor_;
};

}  // namespace tandem::bin
