// SPDX-License-Identifier: LGPL-2.1-or-later
// The part of an item's way that is on the device: sent in pieces, collected, timed.
#include <algorithm>

#include "scheduler/flow/executor.h"

namespace tandem {
namespace {

// A run that takes no longer on the device is not cut.
constexpr uint64_t kRunNs = 100'000'000;
constexpr uint64_t kTimedAgainNs = 5 * kRunNs;
constexpr int kMostGrowth = 4;  // from one piece to the next: what a piece takes is an estimate

// Positions of a piece of so many nanoseconds after one that took so long, in a run of so many.
int next_piece(int positions, uint64_t took_ns, int all, uint64_t piece_ns) {
  const double one_ns = static_cast<double>(std::max<uint64_t>(took_ns, 1)) / positions;
  const bool short_run = one_ns * all <= static_cast<double>(kRunNs);
  const double fitting = short_run ? all : static_cast<double>(piece_ns) / one_ns;
  return static_cast<int>(std::clamp<double>(fitting, 1, double{kMostGrowth} * positions));
}

}  // namespace

// True when the item is on the device, false when what it was to do there is done or has failed.
bool Executor::send(Dispatch::Entry& entry, const Dispatch::Action& action, Lock& lock) {
  Item& item = *entry.item;
  item.lane = entry.lane;
  item.kind = action.device_kind;
  entry.sent_until = action.first;
  unlock(lock);
  const uint64_t since_ns = now_ns();
  const Status status = item.times.stages_apart
                            ? time_on_device(item, entry.way, action.first, action.last)
                            : enqueue_piece(entry, action);
  lock.lock();
  if (status.ok() && !item.times.stages_apart) {
    dispatch_.sent(entry, action, since_ns);
    return true;
  }
  dispatch_.leave_device(entry, now_ns());
  finish_on_device(entry, action, status, lock);
  return false;
}

// Times of the stages on the kind of device that the lane belongs to.
Executor::StageTimes& Executor::device_ns(int lane) {
  return device_ns_[static_cast<std::size_t>(device_->kind(lane % device_->devices()))];
}

bool Executor::is_long_on_device(int lane, int stage) {
  const uint64_t usual_ns = device_ns(lane)[stage].load(std::memory_order_relaxed);
  return usual_ns == 0 || usual_ns > kRunNs;
}

// Up to where the action is enqueued now: as much as is known to take not too long. A stage that
// does, or is not known yet, is alone, so that it is timed.
int Executor::end_of_piece(const Dispatch::Entry& entry, const Dispatch::Action& action) {
  const int first = entry.sent_until, lane = entry.lane;
  // A run of many rounds is too long for a sum of what was timed apart, waits included.
  const bool repeats = action.last - action.first > static_cast<int>(stages_.size());
  const int most = repeats ? std::max(1, device_piece_.load(std::memory_order_relaxed))
                           : action.last - action.first;
  uint64_t usual_ns = 0;
  int p = first;
  while (p < action.last && p - first < most) {
    const int stage = entry.way.stage(p);
    const int count = together(*entry.item, entry.way, p, action.last, true);
    const uint64_t here_ns = device_ns(lane)[stage].load(std::memory_order_relaxed);
    usual_ns += repeats ? 0 : here_ns * static_cast<uint64_t>(count);
    if (p > first && (is_long_on_device(lane, stage) || usual_ns > kRunNs)) break;
    if (is_long_on_device(lane, stage)) return p + count;
    p += count;
  }
  return p;
}

// What a stage that is long, or may be, has on the device is waited for while it is enqueued.
template <class Enqueue>
Status Executor::at_its_pace(const Item& item, int stage, Enqueue&& enqueue) {
  const bool paced = is_long_on_device(item.lane, stage);
  if (paced) device_->pace(item.lane, &stop_);
  Status status = enqueue();
  if (paced) device_->pace(item.lane, nullptr);
  return paced && stop_ ? aborted() : status;
}

Status Executor::enqueue(Stage& stage, Item& item, int index, bool to_host) {
  return at_its_pace(item, index, [&] { return stage.enqueue(item, to_host); });
}

Status Executor::enqueue_split(Stage& stage, Item& item, int index, const SplitRows& rows,
                               bool to_host) {
  return at_its_pace(item, index, [&] { return stage.enqueue_split(item, rows, to_host); });
}

Status Executor::enqueue_piece(Dispatch::Entry& entry, const Dispatch::Action& action) {
  Item& item = *entry.item;
  entry.sent_from = entry.sent_until;
  const int last = end_of_piece(entry, action);
  Status status;
  for (int& p = entry.sent_until; p < last && status.ok();) {
    if (const int banded = positions_in_bands(entry, action, p, last); banded > 0) {
      const bool to_host = p + banded == action.last && action.last < entry.way.length();
      status = enqueue_bands(entry, p, p + banded, to_host);
      p += banded;
      continue;
    }
    const int count = together(item, entry.way, p, action.last, true);
    Stage& stage = enter(item, entry.way, p);
    stage.lead(item, count);
    status = stage.prepare(item);
    const bool to_host = p + count == action.last && action.last < entry.way.length();
    if (status.ok()) status = enqueue(stage, item, entry.way.stage(p), to_host);
    p += count;
  }
  if (status.ok()) status = device_->start(item.lane);
  // What was enqueued before a failure must not touch memory that is about to be reused.
  if (!status.ok()) device_->wait(item.lane);
  return status;
}

// What was sent first is done, or about to be. True when its way is over.
bool Executor::collect(Dispatch::Entry& entry, Lock& lock) {
  const Dispatch::Action action = entry.sent;
  unlock(lock);
  Status status = device_->wait(entry.lane);
  learn_piece(entry, now_ns() - entry.sent_ns);
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
  for (int p = action.first; p < action.last; ++p)
    count_time(*entry.item, entry.way.stage(p), share_ns, true);
  finish_on_device(entry, action, status, lock);
  return !dispatch_.hand_on(entry, now_ns()) && walk(entry, lock);
}

// Of `count` stages that took so long in one pass.
void Executor::learn_device_ns(int lane, int stage, uint64_t took_ns, int count) {
  StageTimes& known_ns = device_ns(lane);
  for (int k = stage; k < stage + count; ++k) known_ns[k] = took_ns / static_cast<uint64_t>(count);
}

void Executor::learn_piece(const Dispatch::Entry& entry, uint64_t took_ns) {
  const int positions = entry.sent_until - entry.sent_from;
  const int all = entry.sent.last - entry.sent.first;
  StageTimes& known_ns = device_ns(entry.lane);
  const int count = together(*entry.item, entry.way, entry.sent_from, entry.sent.last, true);
  if (positions == count)
    learn_device_ns(entry.lane, entry.way.stage(entry.sent_from), took_ns, count);
  if (device_piece_ < all) device_piece_ = next_piece(positions, took_ns, all, kPieceNs);
  // More than the stages took apart: they are other stages now, and timed again.
  if (positions == count || positions > static_cast<int>(stages_.size()) || took_ns < kTimedAgainNs)
    return;
  for (int p = entry.sent_from; p < entry.sent_until; ++p) known_ns[entry.way.stage(p)] = 0;
}

void Executor::finish_on_device(Dispatch::Entry& entry, const Dispatch::Action& action,
                                Status status, Lock& lock) {
  Item& item = *entry.item;
  unlock(lock);
  for (int p = action.first; p < action.last && status.ok();) {
    status = enter(item, entry.way, p).finish(item, true);
    const int count = together(item, entry.way, p, action.last, true);
    note_pass(item, entry.way.stage(p), count);
    for (const int end = p + count; p < end; ++p)
      if (status.ok()) item.device_stages |= 1u << entry.way.stage(p);
  }
  lock.lock();
  report(entry, action, status, lock);
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
  for (int p = first, count = 1; p < last && status.ok(); p += count) {
    if (stop_) return aborted();
    const int k = way.stage(p);
    Stage& stage = enter(item, way, p);
    count = together(item, way, p, last, true);
    stage.lead(item, count);
    status = stage.prepare(item);
    const uint64_t took_ns = timed([&] { return enqueue(stage, item, k, false); });
    if (status.ok()) learn_device_ns(item.lane, k, took_ns, count);
    count_time(item, k, took_ns, true, count);
    // A part that is repeated is left once, whatever happens inside it.
    if (k == item.repeat.last && !way.last_visit(p)) continue;
    const auto time_copy = [&](bool to_host) {
      return timed(
          [&] { return at_its_pace(item, k, [&] { return stage.enqueue_copy(item, to_host); }); });
    };
    // What one pass leaves out inside of it is copied where a mapping parts its stages: as long as
    // what it leaves, for want of a measurement.
    const uint64_t download_ns = time_copy(true);
    for (int s = k; s < k + count; ++s) item.times.download_ns[s] += download_ns;
    if (p + count == last && last < way.length()) continue;
    const uint64_t upload_ns = time_copy(false);
    for (int s = k; s < k + count; ++s) item.times.upload_ns[s] += upload_ns;
  }
  return status;
}

}  // namespace tandem
