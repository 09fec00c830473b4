// SPDX-License-Identifier: LGPL-2.1-or-later
#include "gst/bin/learning/learner.h"

#include <utility>

namespace tandem::bin {

Learner::Learner(std::function<void()> learn)
    : learn_(std::move(learn)), thread_([this] { run(); }) {}

void Learner::hand_over(const FrameTimes& times, uint32_t device_stages) {
  while (!ring_.push(times, device_stages)) {
    std::unique_lock lock(mutex_);
    waits_for_space_ = true;
    space_.wait(lock, [this] { return aborted_ || !ring_.full(); });
    waits_for_space_ = false;
    if (aborted_ && ring_.full()) return;
  }
  wake();
}

void Learner::wake() {
  if (!asleep_ || !asleep_.exchange(false)) return;
  { const std::lock_guard lock(mutex_); }  // between its test and its sleep it would miss the call
  changed_.notify_one();
}

void Learner::announce_space() {
  { const std::lock_guard lock(mutex_); }  // as above
  space_.notify_one();
}

void Learner::run() {
  uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] {
      asleep_ = true;  // again where a late wake() found no new frame, or no later one would come
      return ended_ || ring_.pushed() != seen;
    });
    asleep_ = false;
    do {
      if (ended_) return;
      seen = ring_.pushed();
      learns_ = true;
      lock.unlock();
      learn_();
      lock.lock();
      learns_ = false;
      learnt_.notify_all();
      changed_.wait_for(lock, kRest, [this] { return ended_; });
    } while (ring_.pushed() != seen);
  }
}

void Learner::wait_for_learn() {
  if (std::this_thread::get_id() == thread_.get_id()) return;
  std::unique_lock lock(mutex_);
  learnt_.wait(lock, [this] { return aborted_ || !learns_; });
}

void Learner::abort() {
  const std::lock_guard lock(mutex_);
  aborted_ = true;
  space_.notify_one();
  learnt_.notify_all();
}

void Learner::resume() {
  const std::lock_guard lock(mutex_);
  aborted_ = false;
}

void Learner::end() {
  abort();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    changed_.notify_one();
  }
  if (thread_.joinable()) thread_.join();
}

}  // namespace tandem::bin
