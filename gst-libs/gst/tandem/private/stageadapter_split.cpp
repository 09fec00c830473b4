// SPDX-License-Identifier: LGPL-2.1-or-later
// A stage of which device and cores compute rows of the same frame.
#include <gst/tandem/private/stageadapter.h>

namespace tandem {
namespace {

opencl::Buffer::Halves halves_of(const ClassWork& work, int output, const SplitRows& rows) {
  return {work.planes(output), work.row_begin(output, rows.device_end),
          work.row_begin(output, rows.cores_begin)};
}

// The rows of an input that each side needs.
SplitRows rows_of_input(const ClassWork& work, int input, const SplitRows& rows,
                        const ClassWork& maker) {
  const Rows device = work.needs(input, {0, rows.device_end});
  const Rows cores = work.needs(input, {rows.cores_begin, work.rows()});
  return {device.count() > 0 ? device.end : 0, cores.count() > 0 ? cores.begin : maker.rows()};
}

}  // namespace

bool StageAdapter::can_split() const {
  if (!has_device()) return false;
  std::lock_guard lock(mutex_);  // a run that has ended may ask while the next one describes
  return has_cpu() && description().whole.empty();
}

// Who made an input row by row; null: it has no rows.
const ClassWork* StageAdapter::maker_of(const FrameItem& item, const FrameItem::Slot& slot,
                                        std::size_t input) {
  const auto [stage, output] = slot.makers[input];
  if (stage < 0 || slot.local_inputs[input]) return nullptr;
  const ClassWork* maker = item.slots[stage].work->split;
  return maker && maker->planes(output) > 0 ? maker : nullptr;
}

SplitRows StageAdapter::needs(const Item& base, int producer, const SplitRows& rows) const {
  const auto& item = static_cast<const FrameItem&>(base);
  const FrameItem::Slot& slot = item.slots[index_];
  SplitRows needed = Stage::needs(base, producer, rows);
  for (std::size_t i = 0; slot.work->split && i < description().inputs.size(); ++i) {
    const ClassWork* maker = maker_of(item, slot, i);
    if (maker && slot.makers[i].stage == producer)
      needed = needed.with(rows_of_input(*slot.work->split, static_cast<int>(i), rows, *maker));
  }
  return needed;
}

// What has no rows is brought to each side as a whole when it is asked for.
void StageAdapter::share_tensors(FrameItem& item, const SplitRows& rows) {
  FrameItem::Slot& slot = item.slots[index_];
  opencl::Queue& queue = *item.queues[item.lane];
  const ClassWork& work = *slot.work->split;
  for (std::size_t i = 0; i < description().inputs.size(); ++i) {
    const ClassWork* maker = maker_of(item, slot, i);
    if (maker == nullptr) continue;
    const SplitRows needed = rows_of_input(work, static_cast<int>(i), rows, *maker);
    const auto [stage, output] = slot.makers[i];
    const bool overwritten = stage >= index_;  // it is of the round before
    const bool late = slot.frame.inputs[i].buffer->share(
        queue, opencl::Buffer::Access::read, halves_of(*maker, output, needed), overwritten);
    const FrameItem::Slot& made = item.slots[stage];
    std::atomic<int>& border = made.work->border[static_cast<std::size_t>(output)];
    if (late) border = std::max(border.load(), made.split.cores_begin - needed.cores_begin);
  }
  slot.split = rows;
  for (int o = 0; o < static_cast<int>(work.outputs().size()); ++o) {
    opencl::Buffer& output = *slot.frame.outputs[o].buffer;
    if (work.planes(o) > 0) {
      output.share(queue, opencl::Buffer::Access::write, halves_of(work, o, rows));
    } else if (work.outputs()[static_cast<std::size_t>(o)].scratch) {
      output.share_apart(queue);
    }
  }
}

Status StageAdapter::share(Item& base, const SplitRows& rows) {
  auto& item = static_cast<FrameItem&>(base);
  FrameItem::Slot& slot = item.slots[index_];
  return guard_of(item, [&]() -> Status {
    if (!slot.work->context) return Status::device_failed(slot.work->device_problem);
    if (!slot.work->split) return Status::failed(name() + " cannot be split.");
    localise_inputs(slot);
    share_tensors(item, rows);
    return {};
  });
}

// What the next segment's cores read of the rows of this one's device comes with the batch.
void StageAdapter::enqueue_borders(FrameItem::Slot& slot, opencl::Queue& queue,
                                   const SplitRows& rows) {
  const ClassWork& work = *slot.work->split;
  for (int o = 0; o < static_cast<int>(work.outputs().size()); ++o) {
    const int border = slot.work->border[static_cast<std::size_t>(o)];
    if (border == 0 || work.planes(o) == 0) continue;
    const int begin = std::max(0, rows.cores_begin - border);
    slot.frame.outputs[o].buffer->enqueue_border(queue, work.row_begin(o, begin));
  }
}

Status StageAdapter::enqueue_split(Item& base, const SplitRows& rows, bool to_host) {
  auto& item = static_cast<FrameItem&>(base);
  FrameItem::Slot& slot = item.slots[index_];
  return guard_of(item, [&]() -> Status {
    if (rows.device_end == 0) return {};
    opencl::Queue& queue = *item.queues[item.lane];
    slot.work->split->enqueue_first(slot.frame, queue, rows.device_end);
    enqueue_borders(slot, queue, rows);
    if (!to_host && !item.tensors_to_host) return {};
    // The cores may still read what the round before left on the host.
    if (item.repeat.holds(index_)) return {};
    const auto& outputs = slot.work->split->outputs();
    for (int o = 0; o < static_cast<int>(outputs.size()); ++o) {
      if (outputs[o].scratch || slot.work->split->planes(o) == 0) continue;
      slot.frame.outputs[o].buffer->enqueue_download(queue);
    }
    return {};
  });
}

Status StageAdapter::finish_split(Item& base, const SplitRows& rows) {
  auto& item = static_cast<FrameItem&>(base);
  FrameItem::Slot& slot = item.slots[index_];
  return guard_of(item, [&]() -> Status {
    for (const SlotTensor& each : slot.frame.inputs)
      if (each.buffer) each.buffer->unshare();
    for (const SlotTensor& each : slot.frame.outputs)
      if (each.buffer) each.buffer->unshare();
    slot.work->split->join(slot.frame, rows);
    const bool comes_again = item.repeat.holds(index_) && item.round + 1 < item.repeat.rounds;
    if (item.tensors_to_host && !comes_again) {
      for (const SlotTensor& each : slot.frame.outputs)
        if (each.buffer && !each.spec.scratch) each.buffer->host(opencl::Buffer::Access::read);
    }
    publish(item);
    return {};
  });
}

}  // namespace tandem
