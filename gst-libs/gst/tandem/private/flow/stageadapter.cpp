// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/description.h>
#include <gst/tandem/private/flow/slottensors.h>
#include <gst/tandem/private/flow/splitsides.h>
#include <gst/tandem/private/flow/stageadapter.h>
#include <gst/tandem/private/gsttensors.h>

namespace tandem {
namespace {

using Inside = GstTandemFrame::Inside;

FrameItem& frame_item(Item& item) { return static_cast<FrameItem&>(item); }

// With the outputs that other stages may read.
template <class Use>
void each_output(const GstTandemFrame& frame, Use&& use) {
  for (const SlotTensor& output : frame.outputs)
    if (output.buffer && !output.spec.scratch) use(*output.buffer);
}

}  // namespace

std::string StageAdapter::name() const { return element_name(stage_); }

std::shared_ptr<const StageSettings> StageAdapter::read_settings() {
  properties_set_ = false;  // those set while they are read are read again
  return tandem::read_settings(stage_);
}

void StageAdapter::post(const std::string& notice) {
  {
    std::lock_guard lock(notice_mutex_);
    if (std::exchange(posted_, notice) == notice) return;
  }
  GST_ELEMENT_WARNING(stage_, STREAM, FORMAT, ("%s", notice.c_str()), (nullptr));
}

void StageAdapter::choose_tensors(const std::string& text) {
  auto choice = std::make_shared<const TensorChoice>(text);
  if (!choice->is_any()) choice.reset();
  std::lock_guard lock(choice_mutex_);
  choice_ = std::move(choice);
}

std::shared_ptr<const TensorChoice> StageAdapter::tensor_choice() const {
  std::lock_guard lock(choice_mutex_);
  return choice_;
}

bool StageAdapter::keeps_tensors() const {
  return gst_tensors::are_available() && tensor_choice() != nullptr;
}

void StageAdapter::check(const TensorChoice& choice, std::span<const TensorSpec> outputs) {
  const std::string warning = choice.take_warning(name(), outputs);
  if (!warning.empty())
    GST_ELEMENT_WARNING(stage_, LIBRARY, SETTINGS, ("%s", warning.c_str()), (nullptr));
}

void StageAdapter::forget() {
  work_.forget();
  std::lock_guard lock(notice_mutex_);
  posted_.clear();
}

Status StageAdapter::prepare(Item& base) {
  FrameItem& item = frame_item(base);
  GstTandemFrame& frame = slot(item);
  return guard_of(item, [&]() -> Status {
    // The CPU can go on with the work of any kind.
    if (frame.work && item.lane >= 0 && frame.work->kind != item.kind) {
      frame.forget_outputs();
      frame.work.reset();
    }
    if (frame.work && item.round > 0) return find_inputs(item, index_, description());
    frame.video = &item.video;
    const opencl::Queue* queue =
        item.queues && item.lane >= 0 ? item.queues[item.lane].get() : nullptr;
    frame.previous = item.previous_luma(description().needs_previous ? queue : nullptr);
    if (Status status = find_inputs(item, index_, description()); !status.ok()) return status;
    if (!frame.work) work_.give(frame, item.kind);
    take_outputs(frame, queue);
    frame.call(&GstTandemStageClass::prepare, Inside::prepare);
    return {};
  });
}

Status StageAdapter::begin(Item& base) {
  FrameItem& item = frame_item(base);
  return guard_of(item, [&]() -> Status {
    slot(item).stop = item.stop;
    bring_to_host(slot(item));
    slot(item).begin_compute();
    return {};
  });
}

int StageAdapter::rows(const Item& item) const {
  return static_cast<const FrameItem&>(item).slots[index_].work->rows;
}

void StageAdapter::compute(Item& item, int first, int last) {
  slot(frame_item(item)).compute({first, last});
}

Status StageAdapter::finish(Item& base, bool on_device) {
  FrameItem& item = frame_item(base);
  return guard_of(item, [&]() -> Status {
    if (on_device) {
      slot(item).call(&GstTandemStageClass::collect, Inside::results);
    } else {
      slot(item).call(&GstTandemStageClass::combine, Inside::combine);
    }
    publish(item);
    return {};
  });
}

// Once, also when a later stage fails on the device and this one is computed again.
void StageAdapter::publish(FrameItem& item) {
  GstTandemFrame& frame = slot(item);
  if (!frame.published) frame.call(&GstTandemStageClass::publish, Inside::results, item.buffer);
  frame.published = true;
}

Status StageAdapter::enqueue(Item& base, bool to_host) {
  FrameItem& item = frame_item(base);
  GstTandemFrame& frame = slot(item);
  return guard_of(item, [&]() -> Status {
    if (!frame.work->context) return Status::device_failed(frame.work->device_problem);
    opencl::Queue& queue = item.queue();
    if (item.round > 0) queue.wait_for_downloads();  // of its outputs in the round before
    localise_inputs(frame);
    frame.enqueue(queue);
    if (to_host || item.is_to_host(index_))
      each_output(frame, [&](opencl::Buffer& output) { output.enqueue_download(queue); });
    return {};
  });
}

// Copies go beside what computes.
Status StageAdapter::enqueue_band(Item& base, int first, int last, bool to_host) {
  FrameItem& item = frame_item(base);
  GstTandemFrame& frame = slot(item);
  return guard_of(item, [&]() -> Status {
    if (!frame.work->context) return Status::device_failed(frame.work->device_problem);
    opencl::Queue& queue = item.queue();
    if (first == 0) {
      if (item.round > 0) queue.wait_for_downloads();
      localise_inputs(frame);
    }
    const opencl::Queue::ConcurrentCopies beside(queue);
    frame.enqueue_band(queue, {first, last});
    if (!to_host && !item.is_to_host(index_)) return {};
    const auto& outputs = frame.work->outputs;
    for (int o = 0; o < static_cast<int>(outputs.size()); ++o)
      if (!outputs[static_cast<std::size_t>(o)].scratch)
        frame.download_rows(queue, o, {first, last});
    return {};
  });
}

// To the host, or from there to the device again.
Status StageAdapter::enqueue_copy(Item& base, bool to_host) {
  using Access = opencl::Buffer::Access;
  FrameItem& item = frame_item(base);
  return guard_of(item, [&]() -> Status {
    each_output(slot(item), [&](opencl::Buffer& output) {
      if (to_host) return output.enqueue_download(item.queue());
      output.host(Access::read_write);  // makes the device side stale
      output.device(item.queue(), Access::read);
    });
    return {};
  });
}

SplitRows StageAdapter::needs(const Item& item, int producer, const SplitRows& rows) const {
  return SplitSides::needs(static_cast<const FrameItem&>(item), index_, producer, rows);
}

Status StageAdapter::share(Item& item, const SplitRows& rows) {
  return guard_of(frame_item(item),
                  [&] { return SplitSides(frame_item(item), index_).share(rows); });
}

Status StageAdapter::enqueue_split(Item& item, const SplitRows& rows, bool to_host) {
  return guard_of(frame_item(item),
                  [&] { return SplitSides(frame_item(item), index_).enqueue(rows, to_host); });
}

Status StageAdapter::finish_split(Item& base, const SplitRows& rows) {
  FrameItem& item = frame_item(base);
  return guard_of(item, [&]() -> Status {
    SplitSides(item, index_).join(rows);
    publish(item);
    return {};
  });
}

}  // namespace tandem
