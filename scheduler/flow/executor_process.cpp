// SPDX-License-Identifier: LGPL-2.1-or-later
// One item's way through the stages, on a driver thread.
#include <algorithm>
#include <utility>

#include "scheduler/flow/executor.h"
#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

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

// Before waiting for anything else: whoever that is may need the cores.
void give(std::unique_lock<std::mutex>& cores) {
  if (cores.owns_lock()) cores.unlock();
}

}  // namespace

// False when the item was left where it has to wait for its turn: then it is no longer ours.
bool Executor::process(Entry& entry, bool time_stages) {
  Item& item = *entry.item;
  const Way way(static_cast<int>(stages_.size()), item.repeat);
  // Medium grain: kept from one stage to the next. Were they given back in between, another frame
  // might get them there or might not, and the two would come to the device together.
  Cores cores(cpu_mutex_, std::defer_lock);

  while (entry.position < way.length() && item.status.ok()) {
    if (aborted_) {
      item.status = aborted();
      break;
    }
    const int first = entry.position, stage = way.stage(first);
    const bool serial = stages_[stage]->serial();
    if (serial) {
      give(cores);
      if (!is_its_turn(stage, way.stage(entry.restart), entry)) return false;
    }

    const bool run = entry.mapping.on_device(stage);
    const int last = run ? end_of_run(way, first, entry.mapping) : first + 1;

    // A frame does not change sides inside a run: all of it on the device, or all on the CPU.
    Status status;
    if (run && device_usable_ && take_device_slot(cores)) {
      give(cores);
      status = time_stages ? time_on_device(item, way, first, last)
                           : run_on_device(item, way, first, last);
    } else {
      for (int p = first; p < last && status.ok(); ++p)
        status = aborted_ ? aborted() : run_on_cpu(item, way, p, cores);
    }
    if (status.kind() == Status::Kind::device_failed && entry.mapping.any_device()) {
      // What is valid on the device alone is lost with it: the CPU computes the frame again. The
      // host is told, who may tell others: no lock is held.
      give(cores);
      fail_device(status.message());
      entry.mapping.device_stages = 0;
      item.device_stages = 0;
      item.times.stage_ns = item.times.download_ns = item.times.upload_ns = {};
      entry.position = entry.restart;
      continue;
    }
    item.status = status;

    if (serial && way.last_visit(first)) {
      pass_gate(stage, item.sequence);
      entry.gate = stage + 1;
    }
    if (serial || stages_[way.stage(last - 1)]->changes_item()) entry.restart = last;
    entry.position = last;
  }
  give(cores);
  // An item that failed still opens the gates for those behind it.
  for (; entry.gate < static_cast<int>(stages_.size()); ++entry.gate) {
    if (!stages_[entry.gate]->serial()) continue;
    if (!is_its_turn(entry.gate, entry.gate, entry)) return false;
    pass_gate(entry.gate, item.sequence);
  }
  return true;
}

// Where the run of device stages that begins at `first` ends.
int Executor::end_of_run(const Way& way, int first, const Mapping& mapping) const {
  int last = first + 1;
  while (last < way.length() && mapping.on_device(way.stage(last)) &&
         !stages_[way.stage(last)]->serial() && !stages_[way.stage(last - 1)]->changes_item()) {
    ++last;
  }
  return last;
}

bool Executor::take_device_slot(Cores& cores) {
  while (device_busy_.exchange(true, std::memory_order_acquire)) {
    if (cpu_fallback_.load(std::memory_order_relaxed)) return false;
    give(cores);
    device_busy_.wait(true);
  }
  return true;
}

void Executor::give_device_slot() {
  device_busy_.store(false, std::memory_order_release);
  device_busy_.notify_one();
}

Status Executor::run_on_device(Item& item, const Way& way, int first, int last) {
  const uint64_t start = now_ns();
  // Cut into pieces, so that abort() is seen: at first one stage, later what fits.
  const int known = device_piece_.load(std::memory_order_relaxed);
  int piece_began = first, piece = std::max(1, known);
  uint64_t piece_began_ns = start;
  Status status;
  for (int p = first; p < last && status.ok(); ++p) {
    Stage& stage = enter(item, way, p);
    status = stage.prepare(item);
    const bool to_host = p + 1 == last && last < way.length();
    if (status.ok()) status = stage.enqueue(item, to_host);
    const int done = p + 1 - piece_began;
    if (!status.ok() || (p + 1 < last && done < piece)) continue;
    status = device_->wait();
    const uint64_t now = now_ns();
    piece = next_piece(done, now - std::exchange(piece_began_ns, now));
    piece_began = p + 1;
    device_piece_.store(piece, std::memory_order_relaxed);
    if (status.ok() && aborted_) status = aborted();
  }
  // What was enqueued before a failure must not touch memory that is about to be reused.
  if (piece_began < last) {
    const Status waited = device_->wait();
    if (status.ok()) status = waited;
  }
  give_device_slot();
  const uint64_t share = (now_ns() - start) / static_cast<uint64_t>(last - first);
  for (int p = first; p < last; ++p) count_time(item, way.stage(p), share, true);
  return status.ok() ? finish_on_device(item, way, first, last) : status;
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
    if (aborted_) status = aborted();
    if (!status.ok()) break;
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
  give_device_slot();
  return status.ok() ? finish_on_device(item, way, first, last) : status;
}

Status Executor::finish_on_device(Item& item, const Way& way, int first, int last) {
  Status status;
  for (int p = first; p < last && status.ok(); ++p) {
    status = enter(item, way, p).finish(item, true);
    if (status.ok()) item.device_stages |= 1u << way.stage(p);
  }
  return status;
}

Status Executor::run_on_cpu(Item& item, const Way& way, int position, Cores& cores) {
  Stage& stage = enter(item, way, position);
  Status status = stage.prepare(item);
  if (status.ok()) status = stage.begin(item);
  if (!status.ok()) return status;

  uint64_t start;
  if (item.times.configuration.granularity == Granularity::coarse) {
    start = now_ns();
    compute_in_bands(stage, item, way.stage(position));
  } else {
    if (!cores.owns_lock()) cores.lock();
    start = now_ns();
    bands_.compute(stage, item, aborted_);
  }
  if (aborted_) return aborted();  // some rows may be missing
  status = stage.finish(item, false);
  count_time(item, way.stage(position), now_ns() - start, false);
  return status;
}

// On this thread alone.
void Executor::compute_in_bands(Stage& stage, Item& item, int index) {
  const int rows = stage.rows(item);
  const uint64_t usual_ns = compute_ns_[index].load(std::memory_order_relaxed);
  const int bands = usual_ns == 0 ? kUnknownBands : static_cast<int>(1 + usual_ns / kPieceNs);
  const int band = std::max(1, (rows + bands - 1) / bands);
  const uint64_t start = now_ns();
  for (int first = 0; first < rows && !aborted_; first += band)
    stage.compute(item, first, std::min(first + band, rows));
  if (!aborted_) compute_ns_[index].store(now_ns() - start, std::memory_order_relaxed);
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

void Executor::fail_device(const std::string& why) {
  device_failures_.fetch_add(1, std::memory_order_relaxed);
  if (!device_usable_.exchange(false)) return;
  {
    std::lock_guard lock(mutex_);
    current_.mapping.device_stages = 0;
    pending_.mapping.device_stages = 0;
    drivers_changed();
  }
  if (device_failed_) device_failed_(why);
}

// Else the item is left there, for pass_gate() to find.
bool Executor::is_its_turn(int stage, int restart, Entry& entry) {
  std::unique_lock lock(mutex_);
  if (gate_next_[stage] == entry.item->sequence) return true;
  lock.unlock();
  entry.item->waits(stage, restart);
  lock.lock();
  if (gate_next_[stage] == entry.item->sequence) return true;
  entry.waits_at = stage;
  entry.state = Slot::waiting;
  entry.waits_since_ns = now_ns();
  return false;
}

void Executor::pass_gate(int stage, uint64_t sequence) {
  {
    std::lock_guard lock(mutex_);
    gate_next_[stage] = ++sequence;
    Entry& next = entry(sequence);
    if (sequence >= next_begin_ || next.state != Slot::waiting || next.waits_at != stage) return;
    next.state = Slot::running;
    ready_.push_back(&next);
  }
  work_.notify_one();
}

}  // namespace tandem
