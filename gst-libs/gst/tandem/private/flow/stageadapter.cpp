// SPDX-License-Identifier: LGPL-2.1-or-later
#include <gst/tandem/private/description.h>
#include <gst/tandem/private/flow/devicecommands.h>
#include <gst/tandem/private/flow/slottensors.h>
#include <gst/tandem/private/flow/splitsides.h>
#include <gst/tandem/private/flow/stageadapter.h>

namespace tandem {
namespace {

using Inside = GstTandemFrame::Inside;

FrameItem& frame_item(Item& item) { return static_cast<FrameItem&>(item); }

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

Status StageAdapter::enqueue(Item& item, bool to_host) {
  return guard_of(frame_item(item),
                  [&] { return DeviceCommands(frame_item(item), index_).enqueue(to_host); });
}

Status StageAdapter::enqueue_band(Item& item, int first, int last, bool to_host) {
  return guard_of(frame_item(item), [&] {
    return DeviceCommands(frame_item(item), index_).enqueue_band({first, last}, to_host);
  });
}

Status StageAdapter::enqueue_copy(Item& item, bool to_host) {
  return guard_of(frame_item(item),
                  [&] { return DeviceCommands(frame_item(item), index_).enqueue_copy(to_host); });
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
