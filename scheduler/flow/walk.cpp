// SPDX-License-Identifier: LGPL-2.1-or-later
// One item's way through the stages, on a driver thread.
#include <algorithm>

#include "scheduler/flow/executor.h"

namespace tandem {
namespace {

using Kind = Dispatch::Action::Kind;

constexpr int kUnknownBands = 16;  // of a stage that was not computed yet

}  // namespace

// False when the item was left, on the device or where it has to wait for its turn: then it is no
// longer ours.
bool Executor::walk(Dispatch::Entry& entry, Lock& lock) {
  for (;;) {
    const Dispatch::Action action = dispatch_.next(entry);
    if (action.kind == Kind::finish) return true;
    if (action.kind == Kind::wait) {
      wake(take_wakes());
      sides_.wait(lock);
    } else if (action.kind == Kind::park) {
      const auto [stage, restart] = dispatch_.waits_at(entry);
      unlock(lock);
      entry.item->waits(stage, restart);
      lock.lock();
      if (dispatch_.park(entry, now_ns())) return false;
    } else if (action.kind == Kind::device) {
      if (send(entry, action, lock)) return false;
    } else {
      unlock(lock);
      const bool split = action.kind == Kind::split;
      const Status status = split ? compute_split(entry, action) : compute_on_cpu(entry, action);
      lock.lock();
      if (split) dispatch_.leave_device(entry, now_ns());
      report(entry, action, status, lock);
    }
  }
}

Status Executor::compute_on_cpu(Dispatch::Entry& entry, const Dispatch::Action& action) {
  Status status;
  entry.item->lane = Dispatch::kNone;
  entry.item->kind = action.device_kind;
  for (int p = action.first; p < action.last && status.ok();) {
    const int count = together(*entry.item, entry.way, p, action.last, false);
    status = stop_ ? aborted() : run_on_cpu(entry, p, count);
    p += count;
  }
  return status;
}

void Executor::report(Dispatch::Entry& entry, const Dispatch::Action& action, const Status& status,
                      Lock& lock) {
  const bool device_failed = dispatch_.did(entry, action, status);
  if (status.kind() == Status::Kind::device_failed)
    device_failures_.fetch_add(1, std::memory_order_relaxed);
  if (!device_failed || !device_failed_) return;
  const int left = dispatch_.usable_devices();
  unlock(lock);
  device_failed_(status.message(), left);
  lock.lock();
}

// `count` positions from this one on, in one pass.
Status Executor::run_on_cpu(Dispatch::Entry& entry, int position, int count) {
  Item& item = *entry.item;
  const Way& way = entry.way;
  Stage& stage = enter(item, way, position);
  stage.lead(item, count);
  if (!stage.has_cpu())
    return Status::failed(
        stage.name() + " has no CPU implementation, and no OpenCL device is left to compute it.");
  item.stop = &stop_;
  Status status = stage.prepare(item);
  if (status.ok()) status = stage.begin(item);
  if (!status.ok()) return status;
  const uint64_t start = now_ns();
  if (item.times.configuration.granularity == Granularity::coarse) {
    compute_in_bands(stage, item, way.stage(position));
  } else {
    bands_of(entry).compute(stage, item, 0, stop_);
  }
  if (stop_) return aborted();  // some rows may be missing
  status = stage.finish(item, false);
  if (stop_) return aborted();  // it may have left something out
  count_time(item, way.stage(position), now_ns() - start, false, count);
  note_pass(item, way.stage(position), count);
  return status;
}

// Those of as many cores as a frame has under medium grain.
BandPool& Executor::bands_of(const Dispatch::Entry& entry) {
  const int frames = entry.item->times.configuration.frames_at_once;
  return *bands_[frames - 1 + entry.part_of_cores];  // 1, then 2, then 4 of them
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

// How many positions are computed in one pass.
int Executor::together(const Item& item, const Way& way, int position, int last, bool on_device) {
  return one_pass(way, item.repeat, item.fused.on(on_device), position, last);
}

void Executor::note_pass(Item& item, int stage, int count) {
  if (count > 1) item.fused_stages |= ((1u << count) - 1) << stage;
}

// Of `count` stages that took so long together: nobody can tell which took how much of it.
void Executor::count_time(Item& item, int stage, uint64_t ns, bool on_device, int count) {
  const uint64_t share_ns = ns / static_cast<uint64_t>(count);
  for (int k = stage; k < stage + count; ++k) {
    item.times.stage_ns[k] += share_ns;
    Counter& counter = counters_[k];
    (on_device ? counter.device_ns : counter.cpu_ns).fetch_add(share_ns, std::memory_order_relaxed);
  }
}

}  // namespace tandem
