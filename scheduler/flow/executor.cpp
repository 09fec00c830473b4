// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/executor.h"

#include <algorithm>
#include <utility>

#include "scheduler/machine/cores.h"

namespace tandem {
namespace {

std::vector<Dispatch::StageRules> rules_of(const std::vector<Stage*>& stages) {
  std::vector<Dispatch::StageRules> rules;
  for (const Stage* stage : stages)
    rules.push_back({stage->serial(), stage->changes_item(), stage->has_cpu()});
  return rules;
}

}  // namespace

Executor::Executor(std::vector<Stage*> stages, Device* device, int cores,
                   DeviceFailed device_failed, Clock clock)
    : stages_(std::move(stages)),
      device_(device),
      cores_(std::max(1, cores)),
      device_failed_(std::move(device_failed)),
      clock_(clock),
      dispatch_(rules_of(stages_), cores_, device != nullptr) {
  for (const int frames : kFramesAtOnce)
    for (int i = 0; i < frames; ++i)
      bands_.push_back(std::make_unique<BandPool>(std::max(1, cores_ / frames)));
  for (int i = 0; i <= cores_; ++i) threads_.emplace_back(&Executor::drive, this, i);
}

Executor::~Executor() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  work_.notify_all();
  standby_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

uint32_t Executor::take_wakes() {
  uint32_t wakes = dispatch_.take_wakes();
  if ((wakes & Dispatch::kSource) && !dispatch_.source_looks_again()) wakes &= ~Dispatch::kSource;
  return wakes;
}

void Executor::unlock(Lock& lock) {
  const uint32_t wakes = take_wakes();
  lock.unlock();
  wake(wakes);
}

void Executor::wake(uint32_t wakes) {
  if (wakes == 0) return;
  if (wakes & Dispatch::kDrivers) {
    work_.notify_all();
    standby_.notify_all();
  } else if (wakes & Dispatch::kOneDriver) {
    work_.notify_one();
  }
  if (wakes & Dispatch::kSides) sides_.notify_all();
  if (wakes & Dispatch::kSource) space_.notify_all();
  if (wakes & Dispatch::kSink) finished_.notify_all();
  if (wakes & (Dispatch::kEmpty | Dispatch::kAllWorkers)) idle_.notify_all();
}

void Executor::configure(const Configuration& configuration, bool time_stages, bool spaced) {
  Devices devices{0, device_ != nullptr ? device_->devices() : 1};
  for (int d = 0; d < devices.count; ++d)
    devices.kind[d] = static_cast<uint8_t>(device_ != nullptr ? device_->kind(d) : 0);
  uint32_t can_split = 0;
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    for (int kind = 0; kind < kMaxLetters; ++kind)
      devices.capable[kind] |= stages_[k]->has_device(kind) ? 1u << k : 0;
    can_split |= stages_[k]->can_split() ? 1u << k : 0;
  }
  Lock lock(mutex_);
  dispatch_.configure(configuration, devices, time_stages, can_split, spaced);
  device_piece_ = 0;
  unlock(lock);
}

void Executor::frames_change() {
  device_piece_ = 0;
  for (auto& ns : compute_ns_) ns = 0;
  for (auto& kind : device_ns_)
    for (auto& ns : kind) ns = 0;
}

Configuration Executor::configuration() const {
  std::lock_guard lock(mutex_);
  return dispatch_.configuration();
}

void Executor::set_window(int items) {
  Lock lock(mutex_);
  dispatch_.set_window(items);
  unlock(lock);
}

int Executor::window() const {
  std::lock_guard lock(mutex_);
  return dispatch_.window();
}

void Executor::set_cpu_fallback(bool on) {
  Lock lock(mutex_);
  dispatch_.set_cpu_fallback(on);
  unlock(lock);
}

bool Executor::submit(Item* item) {
  item->times.came_ns = now_ns();
  Lock lock(mutex_);
  uint64_t held_ns = 0, let_in_ns = item->times.came_ns;
  while (!dispatch_.aborted() && !dispatch_.has_space()) {
    dispatch_.source_waits();
    const bool for_the_sink = dispatch_.waits_for_the_sink();
    const uint64_t since_ns = now_ns();
    space_.wait(lock);
    let_in_ns = now_ns();
    if (for_the_sink) held_ns += let_in_ns - since_ns;
  }
  if (dispatch_.aborted()) return false;
  dispatch_.let_in(item, held_ns, let_in_ns);
  unlock(lock);
  return true;
}

bool Executor::has_waiting(int items) {
  std::lock_guard lock(mutex_);
  if (dispatch_.aborted() || (dispatch_.waiting() < items && dispatch_.has_space())) return false;
  dispatch_.source_waits();
  return true;
}

Item* Executor::take_back() {
  std::lock_guard lock(mutex_);
  return dispatch_.take_back();
}

Item* Executor::take() {
  std::unique_lock lock(mutex_);
  bool waited = false;
  for (; !dispatch_.can_take(); waited = true) {
    if (dispatch_.aborted() && dispatch_.all_taken()) return nullptr;
    finished_.wait(lock);
  }
  return dispatch_.take(waited ? now_ns() : 0);
}

void Executor::release() {
  Lock lock(mutex_);
  release(lock);
  unlock(lock);
}

void Executor::release(const Lock&) { dispatch_.release(dispatch_.spaced() ? now_ns() : 0); }

Item* Executor::release_and_take() {
  Lock lock(mutex_);
  release(lock);
  Item* const next = dispatch_.can_take() ? dispatch_.take() : nullptr;
  unlock(lock);
  return next;
}

void Executor::drain() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return dispatch_.aborted() || dispatch_.empty(); });
}

void Executor::abort() {
  Lock lock(mutex_);
  stop_ = true;
  dispatch_.abort();
  unlock(lock);
}

void Executor::rest() {
  std::unique_lock lock(mutex_);
  idle_.wait(lock, [&] { return dispatch_.under_way() == 0; });
}

void Executor::resume() {
  std::lock_guard lock(mutex_);
  stop_ = false;
  dispatch_.resume();
}

void Executor::drive(int index) {
  Lock lock(mutex_);
  Dispatch::Idle idle;
  for (;;) {
    idle.since_ns = 0;
    Dispatch::Work work;
    while (!stopping_ && !(work = dispatch_.work_for(index, now_ns(), idle)).entry) {
      if (idle.since_ns == 0) idle.since_ns = now_ns();
      wake(take_wakes());  // they wait no longer than this thread takes to sleep
      (index < dispatch_.drivers() ? work_ : standby_).wait(lock);
    }
    if (stopping_) return unlock(lock);
    if (!(work.collects ? collect(*work.entry, lock) : walk(*work.entry, lock))) continue;

    Item& item = *work.entry->item;
    unlock(lock);
    item.times.end_ns = now_ns();
    idle.service_ns = item.times.service_ns();
    count(item);
    item.completed();
    lock.lock();
    dispatch_.finish(*work.entry);
  }
}

void Executor::count(const Item& item) {
  const uint32_t all = (1u << stages_.size()) - 1;
  const bool split = item.times.configuration.mapping.any_split();
  auto& kind = item.device_stages == 0               ? frames_cpu_
               : item.device_stages == all && !split ? frames_device_
                                                     : frames_mixed_;
  kind.fetch_add(1, std::memory_order_relaxed);
  // Here, where it is known which side's result stayed: each stage counts every frame once.
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    Counter& counter = counters_[k];
    auto& frames = (item.device_stages >> k & 1) != 0 ? counter.device_frames : counter.cpu_frames;
    if ((item.fused_stages >> k & 1) != 0)
      counter.fused_frames.fetch_add(1, std::memory_order_relaxed);
    frames.fetch_add(1, std::memory_order_relaxed);
  }
  if (item.in_bands) frames_in_bands_.fetch_add(1, std::memory_order_relaxed);
  frames_.fetch_add(1, std::memory_order_relaxed);
}

double Executor::cpu_s() const {
  double sum_s = 0;
  for (const auto& pool : bands_) sum_s += pool->helpers_cpu_s();
  for (const std::thread& thread : threads_)
    sum_s += thread_cpu_s(const_cast<std::thread&>(thread).native_handle());
  return sum_s;
}

int Executor::usable_devices(int kind) const {
  std::lock_guard lock(mutex_);
  return dispatch_.usable_devices(kind);
}

ExecutorStats Executor::stats() const {
  ExecutorStats stats;
  for (std::size_t k = 0; k < stages_.size(); ++k) {
    stats.stages[k] = {counters_[k].cpu_frames, counters_[k].device_frames,
                       counters_[k].fused_frames, counters_[k].cpu_ns, counters_[k].device_ns};
  }
  stats.frames = frames_;
  stats.frames_cpu = frames_cpu_;
  stats.frames_device = frames_device_;
  stats.frames_mixed = frames_mixed_;
  stats.frames_in_bands = frames_in_bands_;
  stats.device_failures = device_failures_;
  stats.split = split_.read();
  std::lock_guard lock(mutex_);
  stats.in_flight = dispatch_.in_flight();
  return stats;
}

}  // namespace tandem
