// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/executor.h"

#include <algorithm>
#include <utility>

#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// The part of a frame's time that is long for its thread to wait for it: a tenth.
constexpr uint64_t kLongWait = 10;
// The part of the window that may wait for the sink alone: a quarter.
constexpr int kWaitsForTheSink = 4;

}  // namespace

Executor::Executor(std::vector<Stage*> stages, Device* device, int cores,
                   DeviceFailed device_failed)
    : stages_(std::move(stages)),
      device_(device),
      cores_(std::max(1, cores)),
      device_failed_(std::move(device_failed)),
      ring_(std::max(kMaxWindow, 2 * (cores_ + 1))),
      window_(static_cast<int>(ring_.size())),
      device_usable_(device != nullptr),
      bands_(cores_) {
  ready_.reserve(stages_.size());
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

void Executor::configure(const Configuration& configuration, bool time_stages) {
  std::lock_guard lock(mutex_);
  pending_ = clamp(configuration);
  pending_time_stages_ = time_stages;
  forget_pieces();
  if (running_ == 0) {
    apply_pending();
  } else if (!is_pending()) {
    drivers_changed();  // who waited for another one that does not come any more
  }
}

// Frames of another size may come from now on.
void Executor::forget_pieces() {
  device_piece_ = 0;
  for (auto& ns : compute_ns_) ns = 0;
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

// Another configuration, which waits for the last item that is under way.
bool Executor::is_pending() const {
  return !(pending_ == current_) || pending_time_stages_ != time_stages_;
}

void Executor::apply_pending() {
  if (!is_pending()) return;
  current_ = pending_;
  time_stages_ = pending_time_stages_;
  drivers_changed();
  space_.notify_all();  // more may wait for more threads
}

// Enough items wait for nothing but to be taken out.
bool Executor::waits_for_the_sink() {
  next_finish_ = std::max(next_finish_, next_take_);
  while (next_finish_ < next_begin_ && entry(next_finish_).state == Slot::done) ++next_finish_;
  const int enough = std::max(window_ / kWaitsForTheSink, 2 * (cores_ + 1));
  return next_finish_ - released_ >= static_cast<uint64_t>(enough);
}

// Or aborted.
bool Executor::has_space() {
  return aborted_ ||
         (next_submit_ - next_begin_ < static_cast<uint64_t>(drivers()) &&
          next_submit_ - released_ < static_cast<uint64_t>(window_) && !waits_for_the_sink());
}

bool Executor::submit(Item* item) {
  {
    std::unique_lock lock(mutex_);
    uint64_t held_ns = 0;
    while (!has_space()) {
      source_waits_ = true;
      const bool for_the_sink = waits_for_the_sink();
      const uint64_t since_ns = now_ns();
      space_.wait(lock);
      if (for_the_sink) held_ns += now_ns() - since_ns;
    }
    source_waits_ = false;
    if (aborted_) return false;
    item->sequence = next_submit_;
    item->status = {};
    entry(next_submit_) = {.item = item, .state = Slot::queued, .held_ns = held_ns};
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

void Executor::rest() {
  std::unique_lock lock(mutex_);
  space_.wait(lock, [&] { return running_ == 0; });
}

void Executor::resume() {
  std::lock_guard lock(mutex_);
  gate_next_.fill(next_submit_);
  aborted_ = false;
}

void Executor::drive(int index) {
  std::unique_lock lock(mutex_);
  uint64_t service_ns = 0;  // of the latest frame
  for (;;) {
    uint64_t free_ns = 0;  // since when this driver waits, if it does
    // Drivers that the configuration does not use wait apart, so that waking one never wakes these.
    const auto nothing_to_do = [&] {
      return index >= drivers() ||
             (ready_.empty() && (next_begin_ == next_submit_ || is_pending()));
    };
    while (!stopping_ && nothing_to_do()) {
      if (free_ns == 0) free_ns = now_ns();
      (index < drivers() ? work_ : standby_).wait(lock);
    }
    if (stopping_) return;
    Entry* mine = nullptr;
    const bool begins = ready_.empty();
    if (begins) {
      mine = &begin_next();
      Item::Times& times = mine->item->times;
      const uint64_t waited_ns = free_ns > 0 ? times.begin_ns - free_ns : 0;
      times.starved = times.starved && kLongWait * waited_ns > service_ns;
    } else {
      const auto oldest = std::ranges::min_element(
          ready_, {}, [](const Entry* entry) { return entry->item->sequence; });
      mine = *oldest;
      ready_.erase(oldest);
      mine->item->times.waited_ns += now_ns() - mine->waits_since_ns;
    }
    const bool time_stages = time_stages_;
    lock.unlock();
    if (begins) space_.notify_one();  // one fewer waits to begin

    Item& item = *mine->item;
    const bool done = process(*mine, time_stages);
    if (done) {
      item.times.end_ns = now_ns();
      service_ns = item.times.service_ns();
      count(item);
      item.completed();
    }

    lock.lock();
    if (!done) continue;
    --running_;
    mine->state = Slot::done;
    if (item.sequence == next_take_) finished_.notify_all();
    if (running_ == 0) {
      apply_pending();
      space_.notify_all();  // rest() may be waiting
    }
  }
}

Executor::Entry& Executor::begin_next() {
  Entry& begun = entry(next_begin_++);
  begun.state = Slot::running;
  begun.mapping = current_.mapping;
  begun.item->device_stages = 0;
  Item::Times& times = begun.item->times;
  times = {};
  times.configuration = current_;
  times.stages_apart = time_stages_;
  times.held_ns = begun.held_ns;
  times.starved = next_begin_ == next_submit_ && !source_waits_;
  times.begin_ns = now_ns();  // in the order of the stream
  ++running_;
  return begun;
}

void Executor::count(const Item& item) {
  const uint32_t all = (1u << stages_.size()) - 1;
  auto& kind = item.device_stages == 0     ? frames_cpu_
               : item.device_stages == all ? frames_device_
                                           : frames_mixed_;
  kind.fetch_add(1, std::memory_order_relaxed);
  // Here, where it is known which side's result stayed: each stage counts every frame once.
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    Counter& counter = counters_[k];
    auto& frames = (item.device_stages >> k & 1) != 0 ? counter.device_frames : counter.cpu_frames;
    frames.fetch_add(1, std::memory_order_relaxed);
  }
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
