// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/execution/shared_dispatch.h"

namespace tandem {

uint32_t SharedDispatch::take_wakeups() {
  uint32_t wakeups = dispatch_.take_wakeups();
  if ((wakeups & kSource) && !dispatch_.source_should_wake()) wakeups &= ~kSource;
  return wakeups;
}

void SharedDispatch::unlock(Lock& lock) {
  const uint32_t wakeups = take_wakeups();
  lock.unlock();
  wake(wakeups);
}

void SharedDispatch::wake(uint32_t wakeups) {
  if (wakeups == 0) return;
  if (wakeups & kWorkers) {
    work_.notify_all();
    standby_.notify_all();
  } else if (wakeups & kOneWorker) {
    work_.notify_one();
  }
  if (wakeups & kSides) sides_.notify_all();
  if (wakeups & kSource) space_.notify_all();
  if (wakeups & kSink) finished_.notify_all();
  if (wakeups & (kEmpty | kNoneRunning)) idle_.notify_all();
}

// The woken threads wait for the mutex no longer than this thread takes to sleep.
void SharedDispatch::wait_for_work(Lock& lock, int worker) {
  wake(take_wakeups());
  (worker < dispatch_.workers() ? work_ : standby_).wait(lock);
}

void SharedDispatch::wait_for_a_side(Lock& lock) {
  wake(take_wakeups());
  sides_.wait(lock);
}

void SharedDispatch::stop() {
  {
    const Lock held = lock();
    stopping_ = true;
  }
  work_.notify_all();
  standby_.notify_all();
}

}  // namespace tandem
