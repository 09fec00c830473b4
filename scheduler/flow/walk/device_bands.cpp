// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/walk/device_bands.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "scheduler/flow/split_plan.h"

namespace tandem {

int DeviceBands::positions(const FrameEntry& entry, const FrameAction& action, int first,
                           int last) const {
  const Item& item = *entry.item;
  if (item.times.configuration.tasks == 1) return 0;
  uint32_t seen = 0;
  int p = first;
  for (; p < last; ++p) {
    const int stage = entry.way.stage(p);
    const bool again = (seen >> stage & 1) != 0;
    if (again || !context_.stages[stage]->has_bands() || times_.is_long(entry.lane, stage) ||
        pass_length(item, entry.way, p, action.last, true) > 1)
      break;
    seen |= 1u << stage;
  }
  return first == action.first || p == action.last ? p - first : 0;
}

// A stage computes the rows for which the stages before it have computed what they need, so that
// nothing is computed twice and no kernel waits for another queue's.
Status DeviceBands::enqueue(FrameEntry& entry, int first, int last, bool to_host) {
  Item& item = *entry.item;
  std::array<int, kMaxStages> segment{}, done{};
  const auto count = static_cast<std::size_t>(last - first);
  for (std::size_t k = 0; k < count; ++k) {
    const int position = first + static_cast<int>(k);
    segment[k] = entry.way.stage(position);
    Stage& stage = context_.enter(item, entry.way, position);
    stage.lead(item, 1);
    if (Status status = stage.prepare(item); !status.ok()) return status;
  }
  const std::span<const int> all(segment.data(), count);
  const int bands = item.times.configuration.tasks;
  for (int band = 1; band <= bands; ++band) {
    if (context_.stop) return aborted();
    const SplitPlan plan = plan_bands(context_.stages, item, all, band, bands);
    for (std::size_t k = 0; k < count; ++k) {
      const int begin = std::exchange(done[k], std::max(done[k], plan[k].device_end));
      if (done[k] == begin) continue;
      Stage& stage = context_.enter(item, entry.way, first + static_cast<int>(k));
      const Status status = stage.enqueue_band(item, begin, done[k], to_host && k + 1 == count);
      if (!status.ok()) return status;
    }
    if (Status status = context_.device->start(item.lane); !status.ok()) return status;
  }
  item.in_bands = true;
  return {};
}

}  // namespace tandem
