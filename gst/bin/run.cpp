// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/run.h"

#include <gst/tandem/private/guard.h>

#include <algorithm>

#include "gst/bin/device/queuedevice.h"
#include "gst/bin/latency.h"
#include "gst/bin/learning/knowledge.h"
#include "gst/memory/pagelocked.h"
#include "scheduler/machine/memory.h"

namespace tandem::bin {
namespace {

// Limit for all frames in flight: a sixteenth of the memory of this process, at most 1 GiB.
gsize most_waiting_bytes() { return std::min<gsize>(memory_of_process() / 16, gsize{1} << 30); }

// Frames that the source pad's task pushes before it ends one turn.
constexpr int kMostInOneGo = 16;

}  // namespace

Run::Run(GstElement* bin, const RunPlan& plan)
    : bin_(bin),
      work_(plan.stages),
      repeat_(plan.stages),
      intervals_(plan.stages),
      overload_(bin),
      device_(std::make_unique<QueueDevice>()) {
  for (GstTandemStage* stage : plan.stages) {
    stages_.emplace_back(static_cast<GstTandemStage*>(gst_object_ref(stage)));
    StageAdapter& adapter = adapter_of(stage);
    adapter.set_index(static_cast<int>(adapters_.size()));
    changes_pixels_ |= adapter.description().changes_pixels;
    needs_previous_ |= adapter.description().needs_previous ? 1u << adapters_.size() : 0;
    device_only_ |= adapter.description().has_cpu ? 0 : 1u << adapters_.size();
    cpu_only_ |= adapter.description().has_opencl ? 0 : 1u << adapters_.size();
    why_whole_.push_back(adapter.description().whole);
    adapters_.push_back(&adapter);
  }
  fusion_ = std::make_unique<Fusion>(plan.stages, adapters_);
  std::vector<Stage*> scheduled;
  for (int k = 0; k < stages(); ++k) scheduled.push_back(fusion_->scheduled(k));
  const auto device_failed = [this](const std::string& why, int left) {
    this->device_failed(why, left);
  };
  executor_ = std::make_unique<Executor>(scheduled, device_.get(), plan.chain.cores, device_failed);
  plan.device_busy->count(*executor_);
  device_joins_later_ = plan.device_joins_later;
  if (device_joins_later_) opening_.expect(adapters_, *fusion_);
  if (plan.open_device) search_.begin_search();
  if (plan.device) search_.end_search(*this, *plan.device);
  if (plan.device) opening_.none_found();
  controller_ = std::make_unique<ControllerAdapter>(bin, *executor_, plan);
}

Run::~Run() {
  // The learner and the other bins use the executor.
  if (controller_) controller_->end();
}

void Run::device_failed(const std::string& why, int left) {
  if (left > 0) {
    GST_ELEMENT_WARNING(bin_, RESOURCE, FAILED,
                        ("One of the OpenCL devices failed, the other %d and the CPU continue: %s",
                         left, why.c_str()),
                        (nullptr));
    any_left_out_ = true;
    return controller_->device_left_out(device_side());
  }
  // Frames that need the device end with an error of their own.
  const bool all = device_only_ == 0;
  GST_ELEMENT_WARNING(
      bin_, RESOURCE, FAILED,
      ("The OpenCL device failed%s: %s", all ? ", and the CPU continues" : "", why.c_str()),
      (nullptr));
  controller_->device_failed();
}

void Run::use_device(const std::shared_ptr<opencl::Context>& context) {
  if (ended()) return;
  const bool joins_later = std::exchange(device_joins_later_, false);
  if (!joins_later) fusion_->use_device(context);
  std::lock_guard lock(mutex_);
  if (ended_ || device_->context == context) return;
  std::vector<std::shared_ptr<opencl::Context>> kinds{context};
  kinds.insert(kinds.end(), context->further().begin(), context->further().end());
  int devices = 0;
  for (const auto& kind : kinds) devices += kind->devices();
  for (int kind = 0, device = 0; kind < std::ssize(kinds); ++kind) {
    for (int i = 0; i < kinds[kind]->devices(); ++i, ++device) {
      for (int lane = device; lane < devices * kMaxLanes; lane += devices)
        device_->lanes[lane] = std::make_unique<opencl::Queue>(kinds[kind], i);
      device_->kinds[device] = kind;
    }
  }
  device_->context = context;
  device_->device_count = devices;
  if (joins_later) return opening_.found(std::move(kinds), [this] { device_joined_(); });
  for (StageAdapter* adapter : adapters_) adapter->work().set_contexts(kinds);
}

void Run::end_opening(OpenedDevice opened) {
  search_.end_search(*this, opened.found);
  opening_.none_found();
  controller_->device_opened(std::move(opened.energy));
}

GstAllocator* Run::frame_allocator(gsize frame_bytes) {
  std::lock_guard lock(mutex_);
  if (ended_ || !may_use_device || !device_->context) {
    frame_allocator_.reset();
  } else if (!frame_allocator_ || allocator_frame_bytes_ != frame_bytes) {
    // Frames of another size have no use for the memory that the allocator keeps.
    frame_allocator_ = make_page_locked_allocator(device_->context);
    allocator_frame_bytes_ = frame_bytes;
  }
  return frame_allocator_ ? GST_ALLOCATOR(gst_object_ref(frame_allocator_.get())) : nullptr;
}

std::shared_ptr<opencl::Context> Run::context() const {
  std::lock_guard lock(mutex_);
  return device_->context;
}

bool Run::ended() const {
  std::lock_guard lock(mutex_);
  return ended_;
}

DeviceSide Run::device_side() const {
  DeviceSide side;
  side.coming = opening_.coming();
  const auto opencl = context();
  if (!opencl) return side;
  for (int kind = 0; kind <= std::ssize(opencl->further()); ++kind) {
    const opencl::Context& of = kind == 0 ? *opencl : *opencl->further()[kind - 1];
    const int devices = any_left_out_ ? executor_->usable_devices(kind) : of.devices();
    if (devices == 0) continue;
    DeviceLetter letter{.devices = devices};
    for (int k = 0; k < stages(); ++k) {
      const StageAdapter& stage = *adapters_[k];
      const bool capable = side.coming ? stage.work().suits_device(kind) : stage.has_device(kind);
      letter.capable |= capable ? 1u << k : 0;
    }
    // A device made of the cores has nothing to overlap: its copies are theirs as well.
    const opencl::DeviceDescription& device = of.device();
    letter.on_cores = device.is_cpu;
    if (!device.is_cpu) letter.lanes = {2, 4, 8};
    side.name += (side.name.empty() ? "" : " + ") + device.name + ", driver " + device.driver;
    if (devices > 1) side.name += ", " + std::to_string(devices) + " of them";
    side.letters.push_back(std::move(letter));
  }
  return side;
}

void Run::add_latency(GstQuery* query) const {
  bin::add_latency(query, controller_->latency_ns(), executor_->window(), controller_->frame_ns());
}

void Run::make_items() {
  std::lock_guard lock(mutex_);
  while (static_cast<int>(items_.size()) <= executor_->window()) {
    items_.push_back(std::make_unique<FrameItem>(adapters_));
    items_.back()->queues = device_->lanes.data();
    idle_.push_back(items_.back().get());
  }
}

FrameItem* Run::acquire() {
  std::lock_guard lock(mutex_);
  g_assert(!idle_.empty());
  FrameItem* item = idle_.back();
  idle_.pop_back();
  item->keep(keep_tensors);
  return item;
}

// Ends the item and gives back its buffer.
GstBuffer* Run::close(FrameItem* item) {
  GstBuffer* buffer = item->close();
  std::lock_guard lock(mutex_);
  idle_.push_back(item);
  return buffer;
}

void Run::set_caps(GstCaps* caps, bool live) {
  live_ = live;
  negotiated_ = caps && gst_video_info_from_caps(&info_, caps);
  const CapsRef before = std::exchange(caps_, CapsRef(negotiated_ ? gst_caps_ref(caps) : nullptr));
  if (!negotiated_) return;
  interval_.caps(nominal_interval(info_));
  // The work is the same. With a live source the choice depends on the rate as well.
  if (before && !live && same_frames(before.get(), caps))
    return controller_->frames_come_every(interval_, live_);
  work_.read();
  frames_change();
}

// With nothing in flight: frames of another kind come, or other work is done with them.
void Run::frames_change() {
  controller_->catch_up();  // the learner sets the window as well
  work_.take_over();
  fusion_->begin(keep_tensors);
  // Frames that wait for their turn hold the pixels of the source.
  executor_->set_window(static_cast<int>(most_waiting_bytes() / GST_VIDEO_INFO_SIZE(&info_)));
  make_items();
  intervals_.begin(repeat_.now());
  executor_->frames_change();
  executor_->set_period(intervals_.period());
  controller_->frames_come_every(interval_, live_);
  controller_->frames_are(info_, work_.text(), intervals_.period());
  if (opening_.opening() && controller_->may_know_frames()) opening_.wait_until_open();
  if (!opening_.opening() && opening_.coming() && controller_->knows_frames()) {
    opening_.join_now();
    controller_->set_device(device_side());
  }
  controller_->frames_changed();
}

// Frames of the old work end before any of the new begins, as knowledge is of one work. False when
// frames are dropped meanwhile.
bool Run::begin_other_work() {
  executor_->drain();
  if (dropping_) return false;
  frames_change();
  return true;
}

GstFlowReturn Run::accept(GstPad* sink, GstBuffer* buffer) {
  GstFlowReturn flow = flow_;
  if (flow != GST_FLOW_OK && flow != GST_FLOW_ERROR)
    flow_.compare_exchange_strong(flow, GST_FLOW_OK);
  if (dropping_) {
    flow = GST_FLOW_FLUSHING;
  } else if (!negotiated_) {
    flow = GST_FLOW_NOT_NEGOTIATED;
  } else if (flow == GST_FLOW_OK && work_.read() && !begin_other_work()) {
    flow = GST_FLOW_FLUSHING;
  }
  if (flow != GST_FLOW_OK) {
    gst_buffer_unref(buffer);
    return flow;
  }
  if (frame_came(interval_, buffer)) controller_->frames_come_every(interval_, live_);
  if (overload_.drops(sink, buffer, *executor_, [this] { return take_back(); })) {
    gst_buffer_unref(buffer);
    return GST_FLOW_OK;
  }
  const bool page_locked = is_page_locked(buffer);
  FrameItem* item = acquire();
  item->repeat = repeat_.now();
  item->fused = fusion_->fused(item->keep_tensors);
  buffer = gst_buffer_make_writable(buffer);
  item->left_out = intervals_.next(buffer);
  const bool computed = (~item->left_out & ((1u << stages()) - 1)) != 0;
  if (!computed) {
    item->buffer = buffer;
  } else if (!item->open(buffer, info_, changes_pixels_)) {
    gst_buffer_unref(close(item));
    GST_ELEMENT_ERROR(bin_, RESOURCE, READ,
                      ("A frame cannot be mapped into memory: it is smaller than its caps say."),
                      (nullptr));
    return GST_FLOW_ERROR;
  }
  if ((needs_previous_ & ~item->left_out) != 0) previous_.pass(*item, context());
  if (executor_->submit(item)) {
    ++accepted_;
    if (page_locked) ++frames_page_locked_;
    return GST_FLOW_OK;
  }
  gst_buffer_unref(close(item));
  return GST_FLOW_FLUSHING;
}

void Run::follow(GstEvent* event) {
  const bool anew = continuity_.broken_by(event);
  if (anew) {
    previous_.forget();
    intervals_.restart();
  }
  if (anew || GST_EVENT_TYPE(event) == GST_EVENT_GAP) interval_.interrupt();
}

// The frame that came last, if it waits to begin and no event lies between it and the next one.
GstBuffer* Run::take_back() {
  if (events_.has_behind(accepted_)) return nullptr;
  auto* item = static_cast<FrameItem*>(executor_->take_back());
  if (!item) return nullptr;
  if ((needs_previous_ & ~item->left_out) != 0) previous_.take_back(*item);
  intervals_.take_back();
  GstBuffer* buffer = close(item);
  --accepted_;
  if (is_page_locked(buffer)) --frames_page_locked_;
  return buffer;
}

GstPad* Run::output_pad() const { return GST_BASE_TRANSFORM_SRC_PAD(stages_.back().get()); }

bool Run::push_next(const EventQueue::Send& send) {
  Item* item = executor_->take();
  if (!item) return false;
  // Finished frames leave in one go. After kMostInOneGo the task looks whether it is to pause.
  for (int i = 0; i < kMostInOneGo; ++i) {
    push(static_cast<FrameItem*>(item), send);
    item = executor_->release_and_take();
    if (!item) return true;
  }
  push(static_cast<FrameItem*>(item), send);
  executor_->release();
  return true;
}

void Run::push(FrameItem* item, const EventQueue::Send& send) {
  const uint64_t frames = item->sequence + 1;
  const Status status = item->status;
  if (status.ok()) {
    controller_->frame_done(*item);
    opening_.frame_left();
  }
  GstBuffer* buffer = close(item);
  if (dropping_ || flow_ == GST_FLOW_ERROR) {
    gst_buffer_unref(buffer);  // downstream accepts no more frames
  } else if (!status.ok()) {
    gst_buffer_unref(buffer);
    // Reported before upstream is refused, whose own error would otherwise be the first.
    GST_ELEMENT_ERROR(bin_, STREAM, FAILED, ("%s", status.message().c_str()), (nullptr));
    flow_ = GST_FLOW_ERROR;
  } else if (const GstFlowReturn flow = gst_pad_push(output_pad(), buffer); flow != GST_FLOW_OK) {
    flow_ = flow;
  }
  if (!dropping_) events_.frame_left(frames, send);
}

void Run::abort() {
  dropping_ = true;
  executor_->abort();
  controller_->abort();
}

void Run::drop_all(GstPad* src) {
  while (auto* item = static_cast<FrameItem*>(executor_->take())) {
    gst_buffer_unref(close(item));
    executor_->release();
  }
  events_.drop(accepted_, src);
}

void Run::resume(GstPad* src) {
  drop_all(src);
  overload_.forget();
  flow_ = GST_FLOW_OK;
  dropping_ = false;
  controller_->resume();
  executor_->resume();
  if (shut_down_) abort();  // it came meanwhile
}

void Run::shut_down() {
  shut_down_ = true;
  abort();
  executor_->rest();
  opening_.end();
}

void Run::end() {
  drop_all(nullptr);
  controller_->end();
  {
    std::lock_guard lock(mutex_);
    ended_ = true;
    frame_allocator_.reset();
  }
  for (StageAdapter* adapter : adapters_) {
    adapter->set_index(0);
    adapter->work().set_contexts({});
    adapter->forget();
  }
}

}  // namespace tandem::bin
