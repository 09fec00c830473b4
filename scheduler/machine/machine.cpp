// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/machine/machine.h"

#include <algorithm>
#include <cmath>

#include "scheduler/machine/clock.h"

namespace tandem {
namespace {

// A slow stream takes so many cores whole: fractions change all the time.
constexpr double kRoundDown = 0.25;
// A long interval between frames is forgotten so fast, a frame.
constexpr uint64_t kForget = 8;

}  // namespace

// Under the mutex. The state of a bin changes when two looks agree.
void Machine::balance(uint64_t now_ns) {
  for (Seat* seat : seats_) {
    const bool idle = !seat->alive(now_ns);
    const int frames = seat->frames_.exchange(0), starved = seat->starved_.exchange(0);
    const bool busy = frames > 0 ? 2 * starved <= frames : seat->seems_busy_;
    if (idle == seat->seems_idle_) seat->idle_ = idle;
    if (busy == seat->seems_busy_) seat->busy_ = busy;
    seat->seems_idle_ = idle;
    seat->seems_busy_ = busy;
    const double cpu_s = seat->cpu_s_();
    if (now_ns > seat->seen_ns_ && seat->seen_ns_ != 0)
      seat->cores_used_ = (cpu_s - seat->cpu_s_seen_) / seconds(now_ns - seat->seen_ns_);
    seat->cpu_s_seen_ = cpu_s;
    seat->seen_ns_ = now_ns;
  }
  share_out();
}

// Under the mutex. Bins that are kept busy share equally the cores that the slow ones leave.
void Machine::share_out() {
  bool any_changed = false;
  for (Seat* seat : seats_) {
    Share share;
    share.bins = static_cast<int>(seats_.size());
    double slow_cores = 0;
    for (const Seat* other : seats_) {
      if (other == seat || other->idle_) continue;
      if (other->busy_) {
        ++share.at_work;
      } else {
        slow_cores += std::ceil(std::max(0.0, other->cores_used_ - kRoundDown));
      }
    }
    share.cores = std::max(1.0, cores_ - slow_cores) / cores_ / share.at_work;
    any_changed |= !(seat->share_ == share);
    seat->share_ = share;
  }
  if (any_changed) changed();
}

Seat::Seat(std::shared_ptr<Machine> machine, std::function<double()> cpu_s)
    : machine_(std::move(machine)), cpu_s_(std::move(cpu_s)) {
  std::lock_guard lock(machine_->mutex_);
  machine_->seats_.push_back(this);
  machine_->share_out();
}

void Seat::leave() {
  std::lock_guard lock(machine_->mutex_);
  if (std::erase(machine_->seats_, this) == 0) return;
  machine_->cpu_s_of_the_gone_ += cpu_s_();
  if (machine_->trains_ == this) machine_->trains_ = nullptr;
  machine_->share_out();
}

// Before its first frame a bin counts as one that is about to begin.
bool Seat::alive(uint64_t now_ns) const {
  const uint64_t last_ns = last_frame_ns_.load(std::memory_order_relaxed);
  const uint64_t since_ns = last_ns != 0 ? last_ns : seen_ns_;
  const uint64_t usual_ns = usual_interval_ns_.load(std::memory_order_relaxed);
  const uint64_t idle_ns = std::max(Machine::kIdleNs, Machine::kIdleIntervals * usual_ns);
  return since_ns == 0 || now_ns < since_ns + idle_ns;
}

void Seat::frame_done(uint64_t now_ns, bool starved) {
  const uint64_t last_ns = last_frame_ns_.exchange(now_ns, std::memory_order_relaxed);
  const uint64_t usual_ns = usual_interval_ns_.load(std::memory_order_relaxed);
  const uint64_t interval_ns = last_ns == 0 || now_ns < last_ns ? 0 : now_ns - last_ns;
  usual_interval_ns_.store(std::max(interval_ns, usual_ns - usual_ns / kForget),
                           std::memory_order_relaxed);
  frames_.fetch_add(1, std::memory_order_relaxed);
  if (starved) starved_.fetch_add(1, std::memory_order_relaxed);
  uint64_t due_ns = machine_->next_balance_ns_.load(std::memory_order_relaxed);
  if (now_ns < due_ns) return;
  // One of all bins' threads does it.
  if (!machine_->next_balance_ns_.compare_exchange_strong(due_ns, now_ns + Machine::kBalanceNs))
    return;
  std::lock_guard lock(machine_->mutex_);
  machine_->balance(now_ns);
}

Machine::Share Seat::share() const {
  std::lock_guard lock(machine_->mutex_);
  return share_;
}

bool Seat::take_turn(uint64_t now_ns) {
  std::lock_guard lock(machine_->mutex_);
  if (std::ranges::find(machine_->seats_, this) == machine_->seats_.end()) return false;
  Seat*& trains = machine_->trains_;
  if (trains && trains != this && trains->alive(now_ns)) return false;
  if (trains != this) machine_->changed();
  trains = this;
  return true;
}

void Seat::end_turn() {
  std::lock_guard lock(machine_->mutex_);
  if (machine_->trains_ != this) return;
  machine_->trains_ = nullptr;
  machine_->changed();
}

bool Seat::another_trains() const {
  std::lock_guard lock(machine_->mutex_);
  return machine_->trains_ && machine_->trains_ != this;
}

double Seat::cpu_s_of_others() const {
  std::lock_guard lock(machine_->mutex_);
  double sum_s = machine_->cpu_s_of_the_gone_;
  for (const Seat* seat : machine_->seats_) {
    if (seat != this) sum_s += seat->cpu_s_();
  }
  return sum_s;
}

}  // namespace tandem
