// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/executor.h"

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/info.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <chrono>

namespace tandem {
namespace {

uint64_t now_ns() {
  using namespace std::chrono;
  return static_cast<uint64_t>(
      duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count());
}

// Bands a core under medium grain: enough that a core that was held up does not hold up the frame.
constexpr int kBandsPerCore = 4;

}  // namespace

struct Executor::Arena {
  // More than the machine has would only make oneTBB complain.
  explicit Arena(int cores) : arena(std::min(cores, oneapi::tbb::info::default_concurrency())) {}
  oneapi::tbb::task_arena arena;
};

Executor::Executor(std::vector<Stage*> stages, Device* device, int cores,
                   DeviceFailed device_failed)
    : stages_(std::move(stages)),
      device_(device),
      cores_(std::max(1, cores)),
      device_failed_(std::move(device_failed)),
      ring_(std::max(kMaxWindow, 2 * (cores_ + 1))),
      window_(static_cast<int>(ring_.size())),
      device_usable_(device != nullptr),
      arena_(std::make_unique<Arena>(cores_)) {
  current_ = pending_ = clamp({{0, static_cast<int>(stages_.size())}, Granularity::coarse, cores_});
  for (int i = 0; i <= cores_; ++i) threads_.emplace_back(&Executor::drive, this, i);
}

Executor::~Executor() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  drivers_changed();
  for (std::thread& thread : threads_) thread.join();
}

Configuration Executor::clamp(Configuration c) const {
  c.threads = std::clamp(c.threads, 1, cores_ + 1);
  c.mapping.stages = static_cast<int>(stages_.size());
  for (int k = 0; k < c.mapping.stages; ++k) {
    if (!device_usable_ || !stages_[k]->has_device()) c.mapping.device_stages &= ~(1u << k);
  }
  return c;
}

void Executor::configure(const Configuration& configuration) {
  std::lock_guard lock(mutex_);
  pending_ = clamp(configuration);
  if (next_begin_ == next_submit_ && running_ == 0) {
    current_ = pending_;
    drivers_changed();
  }
}

Configuration Executor::configuration() const {
  std::lock_guard lock(mutex_);
  return current_;
}

void Executor::set_window(int items) {
  {
    std::lock_guard lock(mutex_);
    window_ = std::clamp(items, 2 * (cores_ + 1), static_cast<int>(ring_.size()));
  }
  space_.notify_all();
}

int Executor::window() const {
  std::lock_guard lock(mutex_);
  return window_;
}

int Executor::drivers() const {
  if (current_.granularity == Granularity::coarse) return current_.threads;
  return current_.mapping.any_device() ? 2 : 1;
}

void Executor::drivers_changed() {
  work_.notify_all();
  standby_.notify_all();
}

void Executor::apply_pending(std::unique_lock<std::mutex>& lock) {
  if (pending_ == current_) return;
  space_.wait(lock, [&] { return aborted_ || (next_begin_ == next_submit_ && running_ == 0); });
  if (aborted_) return;
  current_ = pending_;
  drivers_changed();
}

bool Executor::submit(Item* item) {
  {
    std::unique_lock lock(mutex_);
    apply_pending(lock);
    space_.wait(lock, [&] {
      return aborted_ || (next_submit_ - next_begin_ < static_cast<uint64_t>(drivers()) &&
                          next_submit_ - released_ < static_cast<uint64_t>(window_));
    });
    if (aborted_) return false;
    item->sequence = next_submit_;
    item->status = {};
    entry(next_submit_) = {item, Slot::queued};
    ++next_submit_;
  }
  work_.notify_one();
  return true;
}

Item* Executor::take() {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] {
    return (next_take_ < next_submit_ && entry(next_take_).state == Slot::done) ||
           (aborted_ && next_take_ == next_submit_);
  });
  if (next_take_ == next_submit_) return nullptr;
  Entry& next = entry(next_take_++);
  next.state = Slot::empty;
  return std::exchange(next.item, nullptr);
}

void Executor::release() {
  {
    std::lock_guard lock(mutex_);
    ++released_;
  }
  space_.notify_all();
  idle_.notify_all();
}

void Executor::drain() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return aborted_ || released_ == next_submit_; });
}

void Executor::abort() {
  {
    std::lock_guard lock(mutex_);
    aborted_ = true;
    for (; next_begin_ < next_submit_; ++next_begin_) {
      entry(next_begin_).state = Slot::done;
      entry(next_begin_).item->status = Status::failed("aborted");
    }
  }
  space_.notify_all();
  finished_.notify_all();
  idle_.notify_all();
}

void Executor::resume() {
  std::lock_guard lock(mutex_);
  std::lock_guard gate_lock(gate_mutex_);
  gate_next_.fill(next_submit_);
  aborted_ = false;
}

void Executor::drive(int index) {
  std::unique_lock lock(mutex_);
  for (;;) {
    // Drivers that the configuration does not use wait apart, so that waking one never wakes these.
    while (!stopping_ && (next_begin_ == next_submit_ || index >= drivers()))
      (index < drivers() ? work_ : standby_).wait(lock);
    if (stopping_) return;
    Entry& mine = entry(next_begin_++);
    mine.state = Slot::running;
    ++running_;
    const Configuration configuration = current_;
    Item& item = *mine.item;
    lock.unlock();
    space_.notify_one();  // one fewer waits to begin

    process(item, configuration);
    count(item);
    item.completed();

    lock.lock();
    --running_;
    mine.state = Slot::done;
    if (item.sequence == next_take_) finished_.notify_all();
    if (running_ == 0) space_.notify_all();  // a new configuration may be waiting
  }
}

void Executor::process(Item& item, const Configuration& configuration) {
  const int stages = static_cast<int>(stages_.size());
  Configuration now = configuration;
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
      status = run_on_device(item, first, last, last < stages);
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
  return !device_busy_.exchange(true, std::memory_order_acquire);
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
  device_busy_.store(false, std::memory_order_release);
  const uint64_t share = (now_ns() - start) / static_cast<uint64_t>(last - first);

  for (int k = first; k < last && status.ok(); ++k) {
    status = stages_[k]->finish(item, true);
    if (!status.ok()) break;
    item.device_stages |= 1u << k;
    counters_[k].device_frames.fetch_add(1, std::memory_order_relaxed);
    counters_[k].device_ns.fetch_add(share, std::memory_order_relaxed);
  }
  return status;
}

Status Executor::run_on_cpu(Item& item, int k, const Configuration& configuration) {
  Stage& stage = *stages_[k];
  Status status = stage.prepare(item);
  if (status.ok()) status = stage.begin(item);
  if (!status.ok()) return status;

  const int rows = stage.rows(item);
  uint64_t start;
  if (configuration.granularity == Granularity::coarse) {
    start = now_ns();
    stage.compute(item, 0, rows);
  } else {
    std::lock_guard lock(cpu_mutex_);
    start = now_ns();
    const int band = std::max(1, rows / (cores_ * kBandsPerCore));
    arena_->arena.execute([&] {
      using namespace oneapi::tbb;
      parallel_for(
          blocked_range<int>(0, rows, static_cast<std::size_t>(band)),
          [&](const blocked_range<int>& r) { stage.compute(item, r.begin(), r.end()); },
          simple_partitioner());
    });
  }
  status = stage.finish(item, false);
  counters_[k].cpu_frames.fetch_add(1, std::memory_order_relaxed);
  counters_[k].cpu_ns.fetch_add(now_ns() - start, std::memory_order_relaxed);
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

void Executor::count(const Item& item) {
  const uint32_t all = (1u << stages_.size()) - 1;
  auto& kind = item.device_stages == 0     ? frames_cpu_
               : item.device_stages == all ? frames_device_
                                           : frames_mixed_;
  kind.fetch_add(1, std::memory_order_relaxed);
  frames_.fetch_add(1, std::memory_order_relaxed);
}

ExecutorStats Executor::stats() const {
  ExecutorStats stats;
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    stats.stages[k] = {counters_[k].cpu_frames, counters_[k].device_frames, counters_[k].cpu_ns,
                       counters_[k].device_ns};
  }
  stats.frames = frames_;
  stats.frames_cpu = frames_cpu_;
  stats.frames_device = frames_device_;
  stats.frames_mixed = frames_mixed_;
  stats.device_failures = device_failures_;
  std::lock_guard lock(mutex_);
  stats.in_flight = static_cast<int>(next_submit_ - released_);
  return stats;
}

}  // namespace tandem
