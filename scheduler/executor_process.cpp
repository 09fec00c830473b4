// SPDX-License-Identifier: LGPL-2.1-or-later
// One item's way through the stages, on a driver thread.
#include <algorithm>

#include "scheduler/clock.h"
#include "scheduler/executor.h"

namespace tandem {
namespace {

// Before waiting for anything else: whoever that is may need the cores.
void give(std::unique_lock<std::mutex>& cores) {
  if (cores.owns_lock()) cores.unlock();
}

}  // namespace

void Executor::process(Item& item, bool time_stages) {
  const Way way(static_cast<int>(stages_.size()), item.repeat);
  Configuration now = item.times.configuration;
  int restart = 0;  // position after the last stage that must not see this item twice
  int passed = 0;   // gates of stages before this one are behind the item
  item.device_stages = 0;
  // Medium grain: kept from one stage to the next. Were they given back in between, another frame
  // might get them there or might not, and the two would come to the device together.
  Cores cores(cpu_mutex_, std::defer_lock);

  for (int first = 0; first < way.length() && item.status.ok();) {
    const int stage = way.stage(first);
    const bool serial = stages_[stage]->serial();
    if (serial) {
      give(cores);
      wait_for_turn(stage, item.sequence);
    }

    const bool run = now.mapping.on_device(stage);
    const int last = run ? end_of_run(way, first, now.mapping) : first + 1;

    // A frame does not change sides inside a run: all of it on the device, or all on the CPU.
    Status status;
    if (run && device_usable_ && take_device_slot(cores)) {
      give(cores);
      status = time_stages ? time_on_device(item, way, first, last)
                           : run_on_device(item, way, first, last);
    } else {
      for (int p = first; p < last && status.ok(); ++p)
        status = run_on_cpu(item, way, p, now, cores);
    }
    if (status.kind() == Status::Kind::device_failed && now.mapping.any_device()) {
      // What is valid on the device alone is lost with it: the CPU computes the frame again.
      fail_device(status.message());
      now.mapping.device_stages = 0;
      item.device_stages = 0;
      item.times.stage_ns = item.times.download_ns = item.times.upload_ns = {};
      first = restart;
      continue;
    }
    item.status = status;

    if (serial && way.last_visit(first)) {
      pass_gate(stage, item.sequence);
      passed = stage + 1;
    }
    if (serial || stages_[way.stage(last - 1)]->changes_item()) restart = last;
    first = last;
  }
  give(cores);
  // An item that failed still opens the gates for those behind it.
  for (int k = passed; k < static_cast<int>(stages_.size()); ++k) {
    if (!stages_[k]->serial()) continue;
    wait_for_turn(k, item.sequence);
    pass_gate(k, item.sequence);
  }
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

Status Executor::run_on_cpu(Item& item, const Way& way, int position,
                            const Configuration& configuration, Cores& cores) {
  Stage& stage = enter(item, way, position);
  Status status = stage.prepare(item);
  if (status.ok()) status = stage.begin(item);
  if (!status.ok()) return status;

  uint64_t start;
  if (configuration.granularity == Granularity::coarse) {
    start = now_ns();
    stage.compute(item, 0, stage.rows(item));
  } else {
    if (!cores.owns_lock()) cores.lock();
    start = now_ns();
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

void Executor::wait_for_turn(int stage, uint64_t sequence) {
  std::unique_lock lock(gate_mutex_);
  gate_opened_.wait(lock, [&] { return gate_next_[stage] == sequence; });
}

void Executor::pass_gate(int stage, uint64_t sequence) {
  {
    std::lock_guard lock(gate_mutex_);
    gate_next_[stage] = sequence + 1;
  }
  gate_opened_.notify_all();
}

}  // namespace tandem
