// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/execution/device_execution.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "scheduler/flow/split_plan.h"

namespace tandem {

Status DeviceExecution::enqueue_piece(FrameEntry& entry, const FrameAction& action) {
  Item& item = *entry.item;
  entry.sent_from = entry.sent_until;
  const int last = times_.end_of_piece(entry, action);
  Status status;
  for (int& p = entry.sent_until; p < last && status.ok();) {
    if (const int banded = positions_in_bands(entry, action, p, last); banded > 0) {
      const bool to_host = p + banded == action.last && action.last < entry.path.length();
      status = enqueue_bands(entry, p, p + banded, to_host);
      p += banded;
      continue;
    }
    const int count = entry.fused_length(p, action.last, true);
    Stage& stage = context_.enter(item, entry.path, p);
    stage.lead(item, count);
    status = stage.prepare(item);
    const bool to_host = p + count == action.last && action.last < entry.path.length();
    if (status.ok())
      status =
          times_.paced(item, entry.path.stage(p), [&] { return stage.enqueue(item, to_host); });
    p += count;
  }
  if (status.ok()) status = context_.device->start(item.lane);
  // Commands that were enqueued before a failure must not touch memory that is about to be reused.
  if (!status.ok()) context_.device->wait(item.lane);
  return status;
}

// How many positions from `first` on, before `last`, are computed in bands. Copies are made at both
// ends of a device run, so that positions that touch neither end gain nothing.
int DeviceExecution::positions_in_bands(const FrameEntry& entry, const FrameAction& action,
                                        int first, int last) const {
  if (entry.item->times.configuration.tasks == 1) return 0;
  uint32_t seen = 0;
  int p = first;
  for (; p < last; ++p) {
    const int stage = entry.path.stage(p);
    const bool again = (seen >> stage & 1) != 0;
    if (again || !context_.stages[stage]->has_bands() || times_.is_long(entry.lane, stage) ||
        entry.fused_length(p, action.last, true) > 1)
      break;
    seen |= 1u << stage;
  }
  return first == action.first || p == action.last ? p - first : 0;
}

// A stage computes the rows for which the stages before it have computed what they need, so that
// nothing is computed twice and no kernel waits for another queue's.
Status DeviceExecution::enqueue_bands(FrameEntry& entry, int first, int last, bool to_host) {
  Item& item = *entry.item;
  std::array<int, kMaxStages> segment{}, done{};
  const auto count = static_cast<std::size_t>(last - first);
  for (std::size_t k = 0; k < count; ++k) {
    const int position = first + static_cast<int>(k);
    segment[k] = entry.path.stage(position);
    Stage& stage = context_.enter(item, entry.path, position);
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
      Stage& stage = context_.enter(item, entry.path, first + static_cast<int>(k));
      const Status status = stage.enqueue_band(item, begin, done[k], to_host && k + 1 == count);
      if (!status.ok()) return status;
    }
    if (Status status = context_.device->start(item.lane); !status.ok()) return status;
  }
  item.in_bands = true;
  return {};
}

Status DeviceExecution::compute_apart(FrameEntry& entry, const FrameAction& action) {
  Item& item = *entry.item;
  const StagePath& path = entry.path;
  Status status;
  // Runs `call` and returns how long it took; does nothing after a failure.
  const auto timed = [&](auto&& call) -> uint64_t {
    if (!status.ok()) return 0;
    const uint64_t start_ns = context_.now_ns();
    status = call();
    const Status waited = context_.device->wait(item.lane);
    if (status.ok()) status = waited;
    return context_.now_ns() - start_ns;
  };
  for (int p = action.first, count = 1; p < action.last && status.ok(); p += count) {
    if (context_.stop) return aborted();
    const int k = path.stage(p);
    Stage& stage = context_.enter(item, path, p);
    count = entry.fused_length(p, action.last, true);
    stage.lead(item, count);
    status = stage.prepare(item);
    const uint64_t took_ns =
        timed([&] { return times_.paced(item, k, [&] { return stage.enqueue(item, false); }); });
    if (status.ok()) times_.learn(item.lane, k, took_ns, count);
    context_.counters.count_time(item, k, took_ns, true, count);
    // A part that is repeated is left once, whatever happens inside it.
    if (k == item.repeat.last && !path.last_visit(p)) continue;
    const auto time_copy = [&](bool to_host) {
      return timed(
          [&] { return times_.paced(item, k, [&] { return stage.enqueue_copy(item, to_host); }); });
    };
    // A mapping that separates fused stages copies more than these do. For want of a
    // measurement, that copy is taken to be as long as that of the fused stages.
    const uint64_t download_ns = time_copy(true);
    for (int s = k; s < k + count; ++s) item.times.download_ns[s] += download_ns;
    if (p + count == action.last && action.last < path.length()) continue;
    const uint64_t upload_ns = time_copy(false);
    for (int s = k; s < k + count; ++s) item.times.upload_ns[s] += upload_ns;
  }
  return status;
}

Status DeviceExecution::finish(FrameEntry& entry, const FrameAction& action) {
  Item& item = *entry.item;
  Status status;
  for (int p = action.first; p < action.last && status.ok();) {
    status = context_.enter(item, entry.path, p).finish(item, true);
    const int count = entry.fused_length(p, action.last, true);
    item.note_fused(entry.path.stage(p), count);
    for (const int end = p + count; p < end; ++p)
      if (status.ok()) item.device_stages |= 1u << entry.path.stage(p);
  }
  return status;
}

}  // namespace tandem
