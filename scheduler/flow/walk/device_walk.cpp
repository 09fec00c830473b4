// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/walk/device_walk.h"

#include "scheduler/flow/walk/paced.h"

namespace tandem {

Status DeviceWalk::enqueue(Stage& stage, Item& item, int index, bool to_host) {
  return enqueue_paced(context_, times_, item, index, [&] { return stage.enqueue(item, to_host); });
}

Status DeviceWalk::enqueue_piece(FrameEntry& entry, const FrameAction& action) {
  Item& item = *entry.item;
  entry.sent_from = entry.sent_until;
  const int last = times_.end_of_piece(entry, action);
  Status status;
  for (int& p = entry.sent_until; p < last && status.ok();) {
    if (const int banded = bands_.positions(entry, action, p, last); banded > 0) {
      const bool to_host = p + banded == action.last && action.last < entry.way.length();
      status = bands_.enqueue(entry, p, p + banded, to_host);
      p += banded;
      continue;
    }
    const int count = pass_length(item, entry.way, p, action.last, true);
    Stage& stage = context_.enter(item, entry.way, p);
    stage.lead(item, count);
    status = stage.prepare(item);
    const bool to_host = p + count == action.last && action.last < entry.way.length();
    if (status.ok()) status = enqueue(stage, item, entry.way.stage(p), to_host);
    p += count;
  }
  if (status.ok()) status = context_.device->start(item.lane);
  // Commands that were enqueued before a failure must not touch memory that is about to be reused.
  if (!status.ok()) context_.device->wait(item.lane);
  return status;
}

Status DeviceWalk::compute_apart(FrameEntry& entry, const FrameAction& action) {
  Item& item = *entry.item;
  const Way& way = entry.way;
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
    const int k = way.stage(p);
    Stage& stage = context_.enter(item, way, p);
    count = pass_length(item, way, p, action.last, true);
    stage.lead(item, count);
    status = stage.prepare(item);
    const uint64_t took_ns = timed([&] { return enqueue(stage, item, k, false); });
    if (status.ok()) times_.learn(item.lane, k, took_ns, count);
    context_.counters.count_time(item, k, took_ns, true, count);
    // A part that is repeated is left once, whatever happens inside it.
    if (k == item.repeat.last && !way.last_visit(p)) continue;
    const auto time_copy = [&](bool to_host) {
      return timed([&] {
        return enqueue_paced(context_, times_, item, k,
                             [&] { return stage.enqueue_copy(item, to_host); });
      });
    };
    // A mapping that parts the stages of one pass copies more than the pass does. For want of a
    // measurement, that copy is taken to be as long as that of the pass.
    const uint64_t download_ns = time_copy(true);
    for (int s = k; s < k + count; ++s) item.times.download_ns[s] += download_ns;
    if (p + count == action.last && action.last < way.length()) continue;
    const uint64_t upload_ns = time_copy(false);
    for (int s = k; s < k + count; ++s) item.times.upload_ns[s] += upload_ns;
  }
  return status;
}

Status DeviceWalk::finish(FrameEntry& entry, const FrameAction& action) {
  Item& item = *entry.item;
  Status status;
  for (int p = action.first; p < action.last && status.ok();) {
    status = context_.enter(item, entry.way, p).finish(item, true);
    const int count = pass_length(item, entry.way, p, action.last, true);
    note_pass(item, entry.way.stage(p), count);
    for (const int end = p + count; p < end; ++p)
      if (status.ok()) item.device_stages |= 1u << entry.way.stage(p);
  }
  return status;
}

}  // namespace tandem
