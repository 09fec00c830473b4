// SPDX-License-Identifier: LGPL-2.1-or-later
// One item's way through the stages, on a driver thread.
#include <algorithm>

#include "scheduler/flow/executor.h"
#include "scheduler/machine/clock.h"

namespace tandem {

using Kind = Dispatch::Action::Kind;

// False when the item was left where it has to wait for its turn: then it is no longer ours.
bool Executor::walk(Dispatch::Entry& entry, Lock& lock) {
  for (;;) {
    const Dispatch::Action action = dispatch_.next(entry);
    notify();
    if (action.kind == Kind::finish) return true;
    if (action.kind == Kind::wait) {
      sides_.wait(lock);
      continue;
    }
    if (action.kind == Kind::park) {
      const auto [stage, restart] = dispatch_.waits_at(entry);
      lock.unlock();
      entry.item->waits(stage, restart);
      lock.lock();
      if (dispatch_.park(entry, now_ns())) return false;
      continue;
    }
    lock.unlock();
    const Status status = action.kind == Kind::device ? compute_on_device(entry, action)
                                                      : compute_on_cpu(entry, action);
    lock.lock();
    const bool device_failed = dispatch_.did(entry, action, status);
    notify();
    if (status.kind() == Status::Kind::device_failed)
      device_failures_.fetch_add(1, std::memory_order_relaxed);
    if (device_failed && device_failed_) {
      lock.unlock();
      device_failed_(status.message());
      lock.lock();
    }
  }
}

Status Executor::compute_on_cpu(Dispatch::Entry& entry, const Dispatch::Action& action) {
  Status status;
  for (int p = action.first; p < action.last && status.ok(); ++p)
    status = run_on_cpu(*entry.item, entry.way, p);
  return status;
}

Status Executor::compute_on_device(Dispatch::Entry& entry, const Dispatch::Action& action) {
  Item& item = *entry.item;
  const Way& way = entry.way;
  Status status = item.times.stages_apart ? time_on_device(item, way, action.first, action.last)
                                          : run_on_device(item, way, action.first, action.last);
  {
    std::lock_guard lock(mutex_);
    dispatch_.leave_device(entry);
    notify();
  }
  for (int p = action.first; p < action.last && status.ok(); ++p) {
    status = enter(item, way, p).finish(item, true);
    if (status.ok()) item.device_stages |= 1u << way.stage(p);
  }
  return status;
}

Status Executor::run_on_device(Item& item, const Way& way, int first, int last) {
  const uint64_t start = now_ns();
  Status status;
  for (int p = first; p < last && status.ok(); ++p) {
    Stage& stage = enter(item, way, p);
    status = stage.prepare(item);
    const bool to_host = p + 1 == last && last < way.length();
    if (status.ok()) status = stage.enqueue(item, to_host);
  }
  // Even after a failure: what was enqueued must not touch memory that is about to be reused.
  const Status waited = device_->wait();
  if (status.ok()) status = waited;
  const uint64_t share = (now_ns() - start) / static_cast<uint64_t>(last - first);
  for (int p = first; p < last; ++p) count_time(item, way.stage(p), share, true);
  return status;
}

Status Executor::time_on_device(Item& item, const Way& way, int first, int last) {
  // Runs what `enqueue` asks for and says how long it took; does nothing after a failure.
  Status status;
  const auto timed = [&](auto&& enqueue) -> uint64_t {
    if (!status.ok()) return 0;
    const uint64_t start = now_ns();
    status = enqueue();
    const Status waited = device_->wait();
    if (status.ok()) status = waited;
    return now_ns() - start;
  };
  for (int p = first; p < last && status.ok(); ++p) {
    const int k = way.stage(p);
    Stage& stage = enter(item, way, p);
    status = stage.prepare(item);
    count_time(item, k, timed([&] { return stage.enqueue(item, false); }), true);
    // A part that is repeated is left once, whatever happens inside it.
    if (k == item.repeat.last && !way.last_visit(p)) continue;
    item.times.download_ns[k] += timed([&] { return stage.enqueue_copy(item, true); });
    if (p + 1 == last && last < way.length()) continue;
    item.times.upload_ns[k] += timed([&] { return stage.enqueue_copy(item, false); });
  }
  return status;
}

Status Executor::run_on_cpu(Item& item, const Way& way, int position) {
  Stage& stage = enter(item, way, position);
  Status status = stage.prepare(item);
  if (status.ok()) status = stage.begin(item);
  if (!status.ok()) return status;
  const uint64_t start = now_ns();
  if (item.times.configuration.granularity == Granularity::coarse) {
    stage.compute(item, 0, stage.rows(item));
  } else {
    bands_.compute(stage, item);
  }
  status = stage.finish(item, false);
  count_time(item, way.stage(position), now_ns() - start, false);
  return status;
}

Stage& Executor::enter(Item& item, const Way& way, int position) {
  item.round = way.round(position);
  return *stages_[way.stage(position)];
}

void Executor::count_time(Item& item, int stage, uint64_t ns, bool on_device) {
  item.times.stage_ns[stage] += ns;
  Counter& counter = counters_[stage];
  (on_device ? counter.device_ns : counter.cpu_ns).fetch_add(ns, std::memory_order_relaxed);
}

}  // namespace tandem
