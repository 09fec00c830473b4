// SPDX-License-Identifier: LGPL-2.1-or-later
// One item's way through the stages, on a driver thread.
#include <algorithm>

#include "scheduler/flow/executor.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

using Kind = Dispatch::Action::Kind;

// What is done between two looks at abort(), on the device or on one core: a stop takes at most a
// few times as long.
constexpr uint64_t kPieceNs = 40'000'000;
constexpr int kMostGrowth = 4;     // from one piece to the next: what a piece takes is an estimate
constexpr int kUnknownBands = 16;  // of a stage that was not computed yet

// Positions of the piece after one that took so long.
int next_piece(int positions, uint64_t took_ns) {
  const double fitting = static_cast<double>(positions) * static_cast<double>(kPieceNs) /
                         static_cast<double>(std::max<uint64_t>(took_ns, 1));
  return static_cast<int>(std::clamp<double>(fitting, 1, double{kMostGrowth} * positions));
}

Status aborted() { return Status::failed("aborted"); }

}  // namespace

// False when the item was left, on the device or where it has to wait for its turn: then it is no
// longer ours.
bool Executor::walk(Dispatch::Entry& entry, Lock& lock) {
  for (;;) {
    const Dispatch::Action action = dispatch_.next(entry);
    notify();
    if (action.kind == Kind::finish) return true;
    if (action.kind == Kind::wait) {
      sides_.wait(lock);
    } else if (action.kind == Kind::park) {
      const auto [stage, restart] = dispatch_.waits_at(entry);
      lock.unlock();
      entry.item->waits(stage, restart);
      lock.lock();
      if (dispatch_.park(entry, now_ns())) return false;
    } else if (action.kind == Kind::device) {
      if (send(entry, action, lock)) return false;
    } else {
      lock.unlock();
      const Status status = compute_on_cpu(entry, action);
      lock.lock();
      report(entry, action, status, lock);
    }
  }
}

Status Executor::compute_on_cpu(Dispatch::Entry& entry, const Dispatch::Action& action) {
  Status status;
  entry.item->lane = Dispatch::kNone;
  for (int p = action.first; p < action.last && status.ok(); ++p)
    status = stop_ ? aborted() : run_on_cpu(*entry.item, entry.way, p);
  return status;
}

// True when the item is on the device, false when what it was to do there is done or has failed.
bool Executor::send(Dispatch::Entry& entry, const Dispatch::Action& action, Lock& lock) {
  Item& item = *entry.item;
  item.lane = entry.lane;
  entry.sent_until = action.first;
  lock.unlock();
  const uint64_t since_ns = now_ns();
  const Status status = item.times.stages_apart
                            ? time_on_device(item, entry.way, action.first, action.last)
                            : enqueue_piece(entry, action);
  lock.lock();
  if (status.ok() && !item.times.stages_apart) {
    dispatch_.sent(entry, action, since_ns);
    notify();
    return true;
  }
  dispatch_.leave_device(entry, now_ns());
  notify();
  finish_on_device(entry, action, status, lock);
  return false;
}

// As much of the action as is known to take not too long: at first one stage.
Status Executor::enqueue_piece(Dispatch::Entry& entry, const Dispatch::Action& action) {
  Item& item = *entry.item;
  const int piece = std::max(1, device_piece_.load(std::memory_order_relaxed));
  entry.sent_from = entry.sent_until;
  const int last = std::min(action.last, entry.sent_from + piece);
  Status status;
  for (int& p = entry.sent_until; p < last && status.ok(); ++p) {
    Stage& stage = enter(item, entry.way, p);
    status = stage.prepare(item);
    const bool to_host = p + 1 == action.last && action.last < entry.way.length();
    if (status.ok()) status = stage.enqueue(item, to_host);
  }
  if (status.ok()) status = device_->start(item.lane);
  // What was enqueued before a failure must not touch memory that is about to be reused.
  if (!status.ok()) device_->wait(item.lane);
  return status;
}

// What was sent first is done, or about to be. True when its way is over.
bool Executor::collect(Dispatch::Entry& entry, Lock& lock) {
  const Dispatch::Action action = entry.sent;
  lock.unlock();
  Status status = device_->wait(entry.lane);
  if (device_piece_ < action.last - action.first)
    device_piece_ = next_piece(entry.sent_until - entry.sent_from, now_ns() - entry.sent_ns);
  if (status.ok() && entry.sent_until < action.last) {
    const uint64_t since_ns = now_ns();
    status = stop_ ? aborted() : enqueue_piece(entry, action);
    if (status.ok()) {
      lock.lock();
      dispatch_.sent_again(entry, since_ns);
      return false;
    }
  }
  lock.lock();
  const uint64_t share_ns =
      dispatch_.leave_device(entry, now_ns()) / static_cast<uint64_t>(action.last - action.first);
  notify();
  for (int p = action.first; p < action.last; ++p)
    count_time(*entry.item, entry.way.stage(p), share_ns, true);
  finish_on_device(entry, action, status, lock);
  if (!dispatch_.hand_on(entry, now_ns())) return walk(entry, lock);
  notify();
  return false;
}

void Executor::finish_on_device(Dispatch::Entry& entry, const Dispatch::Action& action,
                                Status status, Lock& lock) {
  Item& item = *entry.item;
  lock.unlock();
  for (int p = action.first; p < action.last && status.ok(); ++p) {
    status = enter(item, entry.way, p).finish(item, true);
    if (status.ok()) item.device_stages |= 1u << entry.way.stage(p);
  }
  lock.lock();
  report(entry, action, status, lock);
}

void Executor::report(Dispatch::Entry& entry, const Dispatch::Action& action, const Status& status,
                      Lock& lock) {
  const bool device_failed = dispatch_.did(entry, action, status);
  notify();
  if (status.kind() == Status::Kind::device_failed)
    device_failures_.fetch_add(1, std::memory_order_relaxed);
  if (!device_failed || !device_failed_) return;
  const int left = dispatch_.usable_devices();
  lock.unlock();
  device_failed_(status.message(), left);
  lock.lock();
}

Status Executor::time_on_device(Item& item, const Way& way, int first, int last) {
  // Runs what `enqueue` asks for and says how long it took; does nothing after a failure.
  Status status;
  const auto timed = [&](auto&& enqueue) -> uint64_t {
    if (!status.ok()) return 0;
    const uint64_t start = now_ns();
    status = enqueue();
    const Status waited = device_->wait(item.lane);
    if (status.ok()) status = waited;
    return now_ns() - start;
  };
  for (int p = first; p < last && status.ok(); ++p) {
    if (stop_) return aborted();
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
    compute_in_bands(stage, item, way.stage(position));
  } else {
    bands_.compute(stage, item, stop_);
  }
  if (stop_) return aborted();  // some rows may be missing
  status = stage.finish(item, false);
  count_time(item, way.stage(position), now_ns() - start, false);
  return status;
}

// On this thread alone.
void Executor::compute_in_bands(Stage& stage, Item& item, int index) {
  const int rows = stage.rows(item);
  const uint64_t usual_ns = compute_ns_[index].load(std::memory_order_relaxed);
  // Few rows are no pixels: such a stage has its own idea of what a row is.
  const bool whole = rows < kUnknownBands;
  const int known = usual_ns == 0 ? kUnknownBands : static_cast<int>(1 + usual_ns / kPieceNs);
  const int bands = whole ? 1 : known;
  const int band = std::max(1, (rows + bands - 1) / bands);
  const uint64_t start = now_ns();
  for (int first = 0; first < rows && !stop_; first += band)
    stage.compute(item, first, std::min(first + band, rows));
  if (!stop_) compute_ns_[index].store(now_ns() - start, std::memory_order_relaxed);
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
