// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/executor.h"

#include <algorithm>
#include <utility>

#include "scheduler/machine/cores.h"

namespace tandem {
namespace {

std::vector<StageRules> rules_of(const std::vector<Stage*>& stages) {
  std::vector<StageRules> rules;
  for (const Stage* stage : stages)
    rules.push_back({stage->serial(), stage->changes_item(), stage->has_cpu()});
  return rules;
}

}  // namespace

Executor::Executor(std::vector<Stage*> stages, Device* device, int cores,
                   DeviceFailed device_failed, Clock clock)
    : cores_(std::max(1, cores)),
      context_(std::move(stages), device, clock),
      dispatch_(rules_of(context_.stages), cores_, device != nullptr),
      device_failed_(std::move(device_failed)),
      pools_(cores_),
      device_times_(context_),
      on_cpu_(context_, pools_),
      on_device_(context_, device_times_),
      on_both_(context_, device_times_, pools_) {
  for (int i = 0; i <= cores_; ++i) threads_.emplace_back(&Executor::worker_loop, this, i);
}

Executor::~Executor() {
  dispatch_.stop();
  for (std::thread& thread : threads_) thread.join();
}

void Executor::configure(const Configuration& configuration, bool time_stages, bool spaced) {
  const Device* const device = context_.device;
  Devices devices{0, device != nullptr ? device->devices() : 1};
  for (int d = 0; d < devices.count; ++d)
    devices.kind[d] = static_cast<uint8_t>(device != nullptr ? device->kind(d) : 0);
  uint32_t can_split = 0;
  for (std::size_t k = 0; k < context_.stages.size(); ++k) {
    const Stage& stage = *context_.stages[k];
    for (int kind = 0; kind < kMaxLetters; ++kind)
      devices.capable[kind] |= stage.has_device(kind) ? 1u << k : 0;
    can_split |= stage.can_split() ? 1u << k : 0;
  }
  Lock lock = dispatch_.lock();
  dispatch_->configure(configuration, devices, time_stages, can_split, spaced);
  device_times_.configuration_changes();
  dispatch_.unlock(lock);
}

void Executor::frames_change() {
  device_times_.frames_change();
  on_cpu_.frames_change();
}

Configuration Executor::configuration() const {
  const Lock lock = dispatch_.lock();
  return dispatch_->configuration();
}

void Executor::set_window(int items) {
  Lock lock = dispatch_.lock();
  dispatch_->set_window(items);
  dispatch_.unlock(lock);
}

void Executor::set_period(int frames) {
  Lock lock = dispatch_.lock();
  dispatch_->set_period(frames);
  dispatch_.unlock(lock);
}

int Executor::window() const {
  const Lock lock = dispatch_.lock();
  return dispatch_->window();
}

void Executor::set_cpu_fallback(bool on) {
  Lock lock = dispatch_.lock();
  dispatch_->set_cpu_fallback(on);
  dispatch_.unlock(lock);
}

bool Executor::submit(Item* item) {
  item->times.came_ns = context_.now_ns();
  Lock lock = dispatch_.lock();
  uint64_t held_ns = 0, let_in_ns = item->times.came_ns;
  while (!dispatch_->aborted() && !dispatch_->has_space()) {
    dispatch_->source_waits();
    const bool for_the_sink = dispatch_->waits_for_the_sink();
    const uint64_t since_ns = context_.now_ns();
    dispatch_.wait_for_space(lock);
    let_in_ns = context_.now_ns();
    if (for_the_sink) held_ns += let_in_ns - since_ns;
  }
  if (dispatch_->aborted()) return false;
  dispatch_->let_in(item, held_ns, let_in_ns);
  dispatch_.unlock(lock);
  return true;
}

bool Executor::has_waiting(int items) {
  const Lock lock = dispatch_.lock();
  if (dispatch_->aborted() || (dispatch_->waiting() < items && dispatch_->has_space()))
    return false;
  dispatch_->source_waits();
  return true;
}

Item* Executor::take_back() {
  const Lock lock = dispatch_.lock();
  return dispatch_->take_back();
}

Item* Executor::take() {
  Lock lock = dispatch_.lock();
  bool waited = false;
  for (; !dispatch_->can_take(); waited = true) {
    if (dispatch_->aborted() && dispatch_->all_taken()) return nullptr;
    dispatch_.wait_for_a_frame(lock);
  }
  return dispatch_->take(waited ? context_.now_ns() : 0);
}

void Executor::release() {
  Lock lock = dispatch_.lock();
  release(lock);
  dispatch_.unlock(lock);
}

void Executor::release(const Lock&) {
  dispatch_->release(dispatch_->spaced() ? context_.now_ns() : 0);
}

Item* Executor::release_and_take() {
  Lock lock = dispatch_.lock();
  release(lock);
  Item* const next = dispatch_->can_take() ? dispatch_->take() : nullptr;
  dispatch_.unlock(lock);
  return next;
}

void Executor::drain() {
  Lock lock = dispatch_.lock();
  dispatch_.wait_until(lock, [&] { return dispatch_->aborted() || dispatch_->empty(); });
}

void Executor::abort() {
  Lock lock = dispatch_.lock();
  context_.stop = true;
  dispatch_->abort();
  dispatch_.unlock(lock);
}

void Executor::rest() {
  Lock lock = dispatch_.lock();
  dispatch_.wait_until(lock, [&] { return dispatch_->under_way() == 0; });
}

void Executor::resume() {
  const Lock lock = dispatch_.lock();
  context_.stop = false;
  dispatch_->resume();
}

void Executor::worker_loop(int worker) {
  Lock lock = dispatch_.lock();
  Dispatch::Idle idle;
  for (;;) {
    idle.since_ns = 0;
    Dispatch::Work work;
    while (!dispatch_.stopping() &&
           !(work = dispatch_->work_for(worker, context_.now_ns(), idle)).entry) {
      if (idle.since_ns == 0) idle.since_ns = context_.now_ns();
      dispatch_.wait_for_work(lock, worker);
    }
    if (dispatch_.stopping()) return dispatch_.unlock(lock);
    if (!(work.collects ? collect(*work.entry, lock) : execute(*work.entry, lock))) continue;

    Item& item = *work.entry->item;
    dispatch_.unlock(lock);
    item.times.end_ns = context_.now_ns();
    if (work.entry->path.length() > 0) idle.service_ns = item.times.service_ns();
    context_.counters.count(item);
    item.completed();
    lock.lock();
    dispatch_->finish(*work.entry);
  }
}

bool Executor::execute(FrameEntry& entry, Lock& lock) {
  using Kind = FrameAction::Kind;
  for (;;) {
    const FrameAction action = dispatch_->next(entry);
    if (action.kind == Kind::finish) return true;
    if (action.kind == Kind::wait) {
      dispatch_.wait_for_a_side(lock);
    } else if (action.kind == Kind::park) {
      const auto [stage, restart] = dispatch_->waits_at(entry);
      dispatch_.unlock(lock);
      entry.item->waits(stage, restart);
      lock.lock();
      if (dispatch_->park(entry, context_.now_ns())) return false;
    } else if (action.kind == Kind::device) {
      if (send(entry, action, lock)) return false;
    } else {
      dispatch_.unlock(lock);
      const bool split = action.kind == Kind::split;
      const Status status =
          split ? on_both_.compute(entry, action) : on_cpu_.compute(entry, action);
      lock.lock();
      if (split) dispatch_->leave_device(entry, context_.now_ns());
      report(entry, action, status, lock);
    }
  }
}

// True when the frame is on the device. False when the action is done, or has failed.
bool Executor::send(FrameEntry& entry, const FrameAction& action, Lock& lock) {
  Item& item = *entry.item;
  item.lane = entry.lane;
  item.kind = action.device_kind;
  entry.sent_until = action.first;
  dispatch_.unlock(lock);
  const uint64_t since_ns = context_.now_ns();
  const Status status = item.times.stages_apart ? on_device_.compute_apart(entry, action)
                                                : on_device_.enqueue_piece(entry, action);
  lock.lock();
  if (status.ok() && !item.times.stages_apart) {
    dispatch_->sent(entry, action, since_ns);
    return true;
  }
  dispatch_->leave_device(entry, context_.now_ns());
  finish_on_device(entry, action, status, lock);
  return false;
}

bool Executor::collect(FrameEntry& entry, Lock& lock) {
  const FrameAction action = entry.sent;
  dispatch_.unlock(lock);
  Status status = context_.device->wait(entry.lane);
  device_times_.learn_piece(entry, context_.now_ns() - entry.sent_ns);
  if (status.ok() && entry.sent_until < action.last) {
    const uint64_t since_ns = context_.now_ns();
    status = context_.stop ? aborted() : on_device_.enqueue_piece(entry, action);
    if (status.ok()) {
      lock.lock();
      dispatch_->sent_again(entry, since_ns);
      return false;
    }
  }
  lock.lock();
  const uint64_t share_ns = dispatch_->leave_device(entry, context_.now_ns()) /
                            static_cast<uint64_t>(action.last - action.first);
  for (int p = action.first; p < action.last; ++p)
    context_.counters.count_time(*entry.item, entry.path.stage(p), share_ns, true);
  finish_on_device(entry, action, status, lock);
  return !dispatch_->hand_on(entry, context_.now_ns()) && execute(entry, lock);
}

void Executor::finish_on_device(FrameEntry& entry, const FrameAction& action, Status status,
                                Lock& lock) {
  dispatch_.unlock(lock);
  if (status.ok()) status = on_device_.finish(entry, action);
  lock.lock();
  report(entry, action, status, lock);
}

void Executor::report(FrameEntry& entry, const FrameAction& action, const Status& status,
                      Lock& lock) {
  const bool device_failed = dispatch_->did(entry, action, status);
  if (status.kind() == Status::Kind::device_failed) context_.counters.count_device_failure();
  if (!device_failed || !device_failed_) return;
  const int left = dispatch_->usable_devices();
  dispatch_.unlock(lock);
  device_failed_(status.message(), left);
  lock.lock();
}

double Executor::cpu_s() const {
  double sum_s = pools_.helpers_cpu_s();
  for (const std::thread& thread : threads_)
    sum_s += thread_cpu_s(const_cast<std::thread&>(thread).native_handle());
  return sum_s;
}

int Executor::usable_devices(int kind) const {
  const Lock lock = dispatch_.lock();
  return dispatch_->usable_devices(kind);
}

ExecutorStats Executor::stats() const {
  ExecutorStats stats = context_.counters.stats();
  const Lock lock = dispatch_.lock();
  stats.in_flight = dispatch_->in_flight();
  return stats;
}

}  // namespace tandem
