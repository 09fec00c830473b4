// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/stageadapter.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace tandem {
namespace {

// Work is made for a size and a format; where the rows lie in memory may differ from frame to
// frame.
bool same_frames(const GstVideoInfo& a, const GstVideoInfo& b) {
  return GST_VIDEO_INFO_FORMAT(&a) == GST_VIDEO_INFO_FORMAT(&b) &&
         GST_VIDEO_INFO_WIDTH(&a) == GST_VIDEO_INFO_WIDTH(&b) &&
         GST_VIDEO_INFO_HEIGHT(&a) == GST_VIDEO_INFO_HEIGHT(&b);
}

}  // namespace

void StageAdapter::describe() {
  StageDescription made = describe_now(stage_);
  std::lock_guard lock(mutex_);  // of has_device(), which a run that has ended may still ask for
  description_ = std::move(made);
}

std::string StageAdapter::name() const {
  return GST_OBJECT_NAME(gst_element_get_factory(GST_ELEMENT_CAST(stage_)));
}

void StageAdapter::set_contexts(std::vector<std::shared_ptr<opencl::Context>> contexts) {
  {
    std::lock_guard lock(mutex_);
    if (contexts_ == contexts) return;
    contexts_ = std::move(contexts);
  }
  if (description().has_opencl) ++generation_;
}

std::shared_ptr<const StageSettings> StageAdapter::read_settings() {
  properties_set_ = false;  // what is set while they are read is read again
  return tandem::read_settings(stage_);
}

void StageAdapter::use(std::shared_ptr<const StageSettings> settings) {
  {
    std::lock_guard lock(mutex_);
    if (settings_ && settings_->all == settings->all) return;
    settings_ = std::move(settings);
  }
  ++generation_;
}

std::shared_ptr<const StageSettings> StageAdapter::settings() const {
  std::lock_guard lock(mutex_);
  return settings_;
}

void StageAdapter::post(const std::string& notice) {
  std::unique_lock lock(mutex_);
  if (std::exchange(posted_, notice) == notice) return;
  lock.unlock();
  GST_ELEMENT_WARNING(stage_, STREAM, FORMAT, ("%s", notice.c_str()), (nullptr));
}

void StageAdapter::forget() {
  std::lock_guard lock(mutex_);
  current_.fill(nullptr);
  first_frame_.reset();
  posted_.clear();
}

Status StageAdapter::find_inputs(FrameItem& item, SlotFrame& frame) {
  int i = 0;
  for (const StageDescription::Input& wanted : description().inputs) {
    FrameItem::Slot::Maker& maker = item.slots[index_].makers[i];
    SlotTensor& found = frame.inputs[i++];
    found = {};
    maker = {};
    const auto look = [&](int last, int first) {
      for (int k = last; k >= first && !found.memory; --k) {
        for (int o = 0; o < kMaxTensors; ++o) {
          const SlotTensor& made = item.slots[k].frame.outputs[o];
          if (!made.memory || made.spec.scratch || !(made.spec.name == wanted.tensor)) continue;
          found = made;
          maker = {k, o};
        }
      }
    };
    // What was made last: in later rounds the stages behind this one have been there as well.
    const Repeat& repeat = item.repeat;
    const bool again = item.round > 0;
    look(index_ - 1, again ? repeat.first : 0);
    if (again) {
      look(repeat.last, index_);
      look(repeat.first - 1, 0);
    }
    if (found.memory) {
      found.buffer->abandon_share();  // of a part of the way that ended with a failure
      continue;
    }
    const auto* meta = gst_buffer_get_tandem_tensor_meta(item.buffer, wanted.tensor.text());
    if (!meta) {
      return Status::failed(name() + " needs the tensor '" + wanted.tensor.text() + "', which " +
                            wanted.producer + " makes: put " + wanted.producer + " before " +
                            name() + ".");
    }
    found.spec = {
        TensorName::of_interned(meta->name), meta->element_type, meta->dimensions, {}, false};
    std::copy_n(meta->shape, meta->dimensions, found.spec.shape.begin());
    found.memory = meta->memory;
    found.buffer = tandem_memory_buffer(meta->memory);
    if (!found.buffer || found.buffer->size() < found.spec.bytes()) {
      return Status::failed(std::string("The tensor '") + wanted.tensor.text() +
                            "' on the frame was not made by " + wanted.producer + ".");
    }
  }
  return {};
}

// The work at hand when it can be used; else null, and the request names the device to make it for.
std::shared_ptr<const PooledWork> StageAdapter::current_for(SlotRequest& request, SlotFrame& frame,
                                                            int kind) {
  std::lock_guard lock(mutex_);
  const std::span<const SlotTensor> inputs = request.inputs;
  const auto& current = current_[static_cast<std::size_t>(kind)];
  if (current && current->generation == generation_ && same_frames(current->video, request.video) &&
      std::equal(inputs.begin(), inputs.end(), current->inputs.begin(), current->inputs.end(),
                 [](const SlotTensor& a, const TensorSpec& b) { return a.spec == b; }) &&
      current->work->fits(frame)) {
    return current;
  }
  if (description().has_opencl && kind < std::ssize(contexts_))
    request.context = contexts_[static_cast<std::size_t>(kind)];
  return nullptr;
}

std::shared_ptr<PooledWork> StageAdapter::make_work(SlotRequest& request) {
  auto made = std::make_shared<PooledWork>();
  made->generation = generation_;
  made->video = request.video;
  const auto settings = this->settings();
  const auto make = [&] { return std::make_unique<ClassWork>(stage_, *settings, request); };
  try {
    made->work = make();
  } catch (const opencl::Error& e) {
    // The CPU can do it all the same. enqueue() tells the device's user.
    if (!description().has_cpu) throw std::runtime_error(name() + ": " + e.what());
    if (!request.context) throw;
    made->device_problem = e.what();
    request.context = nullptr;
    made->work = make();
  }
  made->context = request.context;
  if (made->work->splits()) made->split = made->work.get();
  g_assert(made->work->outputs().size() <= kMaxTensors);
  for (const SlotTensor& input : request.inputs) {
    made->inputs.push_back(input.spec);
    if (made->context)
      made->input_pools.push_back(
          std::make_shared<TensorPool>(made->context, input.buffer->size()));
  }
  for (const TensorSpec& spec : made->work->outputs())
    made->pools.push_back(std::make_shared<TensorPool>(made->context, spec.bytes()));
  return made;
}

std::shared_ptr<const PooledWork> StageAdapter::work_for(const FrameItem& item, SlotFrame& frame,
                                                         std::string& notice) {
  SlotRequest request{item.video.info, {frame.inputs.data(), description().inputs.size()}, nullptr};
  if (auto current = current_for(request, frame, item.kind)) return current;
  std::shared_ptr<PooledWork> made;
  {
    std::lock_guard making(make_mutex_);
    if (auto current = current_for(request, frame, item.kind)) return current;
    made = make_work(request);
    made->kind = item.kind;
    inherit(*made);
    if (keeps_first_frame_.exchange(false)) keep_first_frame(request);
    std::lock_guard lock(mutex_);
    current_[static_cast<std::size_t>(item.kind)] = made;
  }
  notice = made->work->take_notice();
  return made;
}

Status StageAdapter::prepare(Item& base) {
  auto& item = static_cast<FrameItem&>(base);
  FrameItem::Slot& slot = item.slots[index_];
  return guard_of(item, [&]() -> Status {
    // The CPU can go on with the work of any kind.
    if (slot.work && item.lane >= 0 && slot.work->kind != item.kind) {
      slot.forget_outputs();
      slot.work.reset();
    }
    if (slot.work && item.round > 0) return find_inputs(item, slot.frame);
    slot.frame.video = &item.video;
    const opencl::Queue* queue =
        item.queues && item.lane >= 0 ? item.queues[item.lane].get() : nullptr;
    slot.frame.previous = item.previous_luma(description().needs_previous ? queue : nullptr);
    if (Status status = find_inputs(item, slot.frame); !status.ok()) return status;
    if (!slot.work) slot.work = work_for(item, slot.frame, slot.notice);
    const auto& specs = slot.work->work->outputs();
    for (std::size_t i = 0; i < specs.size(); ++i) {
      MemoryRef& memory = slot.memories[i];
      if (memory) {  // the device failed: the CPU writes the same outputs
        slot.frame.outputs[i].buffer->discard();
        continue;
      }
      memory = slot.work->pools[i]->acquire(queue ? queue->device() : -1);
      slot.frame.outputs[i] = {specs[i], memory.get(), tandem_memory_buffer(memory.get())};
    }
    slot.work->work->prepare(slot.frame);
    return {};
  });
}

Status StageAdapter::begin(Item& base) {
  using Access = opencl::Buffer::Access;
  auto& item = static_cast<FrameItem&>(base);
  FrameItem::Slot& slot = item.slots[index_];
  return guard_of(item, [&]() -> Status {
    SlotFrame& frame = slot.frame;
    const auto host = [](const SlotTensor& tensor, Access access) -> void* {
      return tensor.buffer ? tensor.buffer->host(access) : nullptr;
    };
    frame.stop = item.stop;
    // Inputs first: an output may be one of them.
    for (int i = 0; i < kMaxTensors; ++i)
      frame.host_inputs[i] = host(frame.inputs[i], Access::read);
    for (int i = 0; i < kMaxTensors; ++i)
      frame.host_outputs[i] = host(frame.outputs[i], Access::write);
    return {};
  });
}

int StageAdapter::rows(const Item& item) const {
  return static_cast<const FrameItem&>(item).slots[index_].work->work->rows();
}

void StageAdapter::compute(Item& item, int first, int last) {
  FrameItem::Slot& slot = static_cast<FrameItem&>(item).slots[index_];
  slot.work->work->compute(slot.frame, {first, last});
}

// What another device or the CPU alone made (a stage before the bin, or one with another `device`)
// goes through the host.
void StageAdapter::localise_inputs(FrameItem::Slot& slot) const {
  using Access = opencl::Buffer::Access;
  for (std::size_t i = 0; i < description().inputs.size(); ++i) {
    SlotTensor& input = slot.frame.inputs[i];
    if (input.buffer->context() == slot.work->context.get()) continue;
    slot.local_inputs[i] = slot.work->input_pools[i]->acquire();
    opencl::Buffer* local = tandem_memory_buffer(slot.local_inputs[i].get());
    std::memcpy(local->host(Access::write), input.buffer->host(Access::read), input.spec.bytes());
    input.memory = slot.local_inputs[i].get();
    input.buffer = local;
  }
}

Status StageAdapter::enqueue(Item& base, bool to_host) {
  auto& item = static_cast<FrameItem&>(base);
  FrameItem::Slot& slot = item.slots[index_];
  return guard_of(item, [&]() -> Status {
    if (!slot.work->context) return Status::device_failed(slot.work->device_problem);
    opencl::Queue& queue = *item.queues[item.lane];
    if (item.round > 0) queue.wait_for_downloads();  // of its outputs in the round before
    localise_inputs(slot);
    slot.work->work->enqueue(slot.frame, queue);
    if (!to_host && !item.tensors_to_host) return {};
    for (const SlotTensor& output : slot.frame.outputs)
      if (output.buffer && !output.spec.scratch) output.buffer->enqueue_download(queue);
    return {};
  });
}

Status StageAdapter::enqueue_copy(Item& base, bool to_host) {
  using Access = opencl::Buffer::Access;
  auto& item = static_cast<FrameItem&>(base);
  return guard_of(item, [&]() -> Status {
    opencl::Queue& queue = *item.queues[item.lane];
    for (const SlotTensor& output : item.slots[index_].frame.outputs) {
      if (!output.buffer || output.spec.scratch) continue;
      if (to_host) {
        output.buffer->enqueue_download(queue);
      } else {
        output.buffer->host(Access::read_write);  // makes the device side stale
        output.buffer->device(queue, Access::read);
      }
    }
    return {};
  });
}

Status StageAdapter::finish(Item& base, bool on_device) {
  auto& item = static_cast<FrameItem&>(base);
  FrameItem::Slot& slot = item.slots[index_];
  return guard_of(item, [&]() -> Status {
    if (on_device) {
      slot.work->work->collect(slot.frame);
    } else {
      slot.work->work->combine(slot.frame);
    }
    publish(item);
    return {};
  });
}

// Once, also when a later stage fails on the device and this one is computed again.
void StageAdapter::publish(FrameItem& item) {
  FrameItem::Slot& slot = item.slots[index_];
  if (!slot.published) slot.work->work->publish(slot.frame, item.buffer);
  slot.published = true;
}

}  // namespace tandem
