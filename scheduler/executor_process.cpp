// SPDX-License-Identifier: LGPL-2.1-or-later
// One item's way through the stages, on a driver thread.
#include <algorithm>

#include "scheduler/clock.h"
#include "scheduler/executor.h"

namespace tandem {

void Executor::process(Item& item, bool time_stages) {
  const int stages = static_cast<int>(stages_.size());
  Configuration now = item.times.configuration;
  int restart = 0;  // after the last serial stage that saw this item: it must not see it twice
  int passed = 0;   // gates before this one are behind the item
  item.device_stages = 0;

  for (int first = 0; first < stages && item.status.ok();) {
    const bool serial = stages_[first]->serial();
    if (serial) wait_for_turn(first, item.sequence);

    const bool run = now.mapping.on_device(first);
    int last = first + 1;
    while (run && last < stages && now.mapping.on_device(last) && !stages_[last]->serial()) ++last;

    // A frame does not change sides inside a run: all of it on the device, or all on the CPU.
    Status status;
    if (run && device_usable_ && take_device_slot()) {
      status = time_stages ? time_on_device(item, first, last, last < stages)
                           : run_on_device(item, first, last, last < stages);
    } else {
      for (int k = first; k < last && status.ok(); ++k) status = run_on_cpu(item, k, now);
    }
    if (status.kind() == Status::Kind::device_failed && now.mapping.any_device()) {
      // What is valid on the device alone is lost with it: the CPU computes the frame again.
      fail_device(status.message());
      now.mapping.device_stages = 0;
      item.device_stages = 0;
      first = restart;
      continue;
    }
    item.status = status;

    if (serial) {
      pass_gate(first, item.sequence);
      passed = restart = first + 1;
    }
    first = last;
  }
  // An item that failed still opens the gates for those behind it.
  for (int k = passed; k < stages; ++k) {
    if (!stages_[k]->serial()) continue;
    wait_for_turn(k, item.sequence);
    pass_gate(k, item.sequence);
  }
}

bool Executor::take_device_slot() {
  while (device_busy_.exchange(true, std::memory_order_acquire)) {
    if (cpu_fallback_.load(std::memory_order_relaxed)) return false;
    device_busy_.wait(true);
  }
  return true;
}

void Executor::give_device_slot() {
  device_busy_.store(false, std::memory_order_release);
  device_busy_.notify_one();
}

Status Executor::run_on_device(Item& item, int first, int last, bool to_host) {
  const uint64_t start = now_ns();
  Status status;
  for (int k = first; k < last && status.ok(); ++k) {
    status = stages_[k]->prepare(item);
    if (status.ok()) status = stages_[k]->enqueue(item, to_host && k + 1 == last);
  }
  // Even after a failure: what was enqueued must not touch memory that is about to be reused.
  const Status waited = device_->wait();
  if (status.ok()) status = waited;
  give_device_slot();
  const uint64_t share = (now_ns() - start) / static_cast<uint64_t>(last - first);
  std::fill(&item.times.stage_ns[first], &item.times.stage_ns[last], share);
  return status.ok() ? finish_on_device(item, first, last) : status;
}

Status Executor::time_on_device(Item& item, int first, int last, bool to_host) {
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
  for (int k = first; k < last && status.ok(); ++k) {
    Stage& stage = *stages_[k];
    const bool last_of_run = k + 1 == last;
    status = stage.prepare(item);
    item.times.stage_ns[k] = timed([&] { return stage.enqueue(item, false); });
    item.times.download_ns[k] = timed([&] { return stage.enqueue_copy(item, true); });
    if (last_of_run && to_host) continue;
    item.times.upload_ns[k] = timed([&] { return stage.enqueue_copy(item, false); });
  }
  give_device_slot();
  return status.ok() ? finish_on_device(item, first, last) : status;
}

Status Executor::finish_on_device(Item& item, int first, int last) {
  Status status;
  for (int k = first; k < last && status.ok(); ++k) {
    status = stages_[k]->finish(item, true);
    if (!status.ok()) break;
    item.device_stages |= 1u << k;
    counters_[k].device_ns.fetch_add(item.times.stage_ns[k], std::memory_order_relaxed);
  }
  return status;
}

Status Executor::run_on_cpu(Item& item, int k, const Configuration& configuration) {
  Stage& stage = *stages_[k];
  Status status = stage.prepare(item);
  if (status.ok()) status = stage.begin(item);
  if (!status.ok()) return status;

  uint64_t start;
  if (configuration.granularity == Granularity::coarse) {
    start = now_ns();
    stage.compute(item, 0, stage.rows(item));
  } else {
    std::lock_guard lock(cpu_mutex_);
    start = now_ns();
    bands_.compute(stage, item);
  }
  status = stage.finish(item, false);
  item.times.stage_ns[k] = now_ns() - start;
  counters_[k].cpu_ns.fetch_add(item.times.stage_ns[k], std::memory_order_relaxed);
  return status;
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
