// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <utility>
#include <vector>

#include "scheduler/flow/dispatch.h"

namespace tandem {

/// The dispatch, shared by threads: its mutex, and the condition variables on which they wait.
///
/// Lock order: the mutex is the last one. No other lock is taken while it is held, and no stage,
/// device or callback is called. It is held for the rules alone, never while a frame is computed.
class SharedDispatch {
 public:
  using Lock = std::unique_lock<std::mutex>;

  SharedDispatch(std::vector<StageRules> stages, int cores, bool has_device)
      : dispatch_(std::move(stages), cores, has_device) {}

  /// Called with no lock held.
  Lock lock() const { return Lock(mutex_); }
  /// Releases the lock, then wakes the threads of Wakeups, which would wait for the mutex
  /// otherwise.
  void unlock(Lock& lock);

  // Under the lock.
  Dispatch* operator->() { return &dispatch_; }
  const Dispatch* operator->() const { return &dispatch_; }
  bool stopping() const { return stopping_; }

  // These release the lock while they wait. Workers wake others before they sleep.

  void wait_for_work(Lock& lock, int worker);
  void wait_for_a_side(Lock& lock);
  void wait_for_space(Lock& lock) { space_.wait(lock); }       ///< the source
  void wait_for_a_frame(Lock& lock) { finished_.wait(lock); }  ///< the sink
  template <class Condition>
  void wait_until(Lock& lock, Condition&& condition) {  ///< empty, or no frame is computed
    idle_.wait(lock, condition);
  }

  /// Lets all workers end. Called with no lock held.
  void stop();

 private:
  uint32_t take_wakeups();
  void wake(uint32_t wakeups);

  mutable std::mutex mutex_;
  // Workers that the configuration does not use stand by, so that a wake-up never hits them.
  std::condition_variable work_, standby_, sides_, space_, finished_, idle_;
  Dispatch dispatch_;
  bool stopping_ = false;
};

}  // namespace tandem
