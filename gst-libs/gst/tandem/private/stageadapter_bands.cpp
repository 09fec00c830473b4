// SPDX-License-Identifier: LGPL-2.1-or-later
// A stage of which a device computes frames in bands.
#include <gst/tandem/private/stageadapter.h>

namespace tandem {

Status StageAdapter::enqueue_band(Item& base, int first, int last, bool to_host) {
  auto& item = static_cast<FrameItem&>(base);
  FrameItem::Slot& slot = item.slots[index_];
  return guard_of(item, [&]() -> Status {
    if (!slot.work->context) return Status::device_failed(slot.work->device_problem);
    opencl::Queue& queue = *item.queues[item.lane];
    if (first == 0) {
      if (item.round > 0) queue.wait_for_downloads();
      localise_inputs(slot);
    }
    const opencl::Queue::CopiesBeside beside(queue);
    const ClassWork& work = *slot.work->work;
    work.enqueue_band(slot.frame, queue, {first, last});
    if (!to_host && !item.tensors_to_host) return {};
    for (int o = 0; o < static_cast<int>(work.outputs().size()); ++o)
      if (!work.outputs()[static_cast<std::size_t>(o)].scratch)
        work.download_band(slot.frame, queue, o, {first, last});
    return {};
  });
}

}  // namespace tandem
