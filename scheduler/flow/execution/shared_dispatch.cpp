// SPDX-License-Identifier: LGPL-2.1-or-later
#include "scheduler/flow/execution/shared_dispatch.h"

namespace tandem {

uint32_t SharedDispatch::take_wakes() {
  uint32_t wakes = dispatch_.take_wakes();
  if ((wakes & kSource) && !dispatch_.source_looks_again()) wakes &= ~kSource;
  return wakes;
}

void SharedDispatch::unlock(Lock& lock) {
  const uint32_t wakes = take_wakes();
  lock.unlock();
  wake(wakes);
}

void SharedDispatch::wake(uint32_t wakes) {
  if (wakes == 0) return;
  if (wakes & kWorkers) {
    work_.notify_all();
    standby_.notify_all();
  } else if (wakes & kOneWorker) {
    work_.notify_one();
  }
  if (wakes & kSides) sides_.notify_all();
  if (wakes & kSource) space_.notify_all();
  if (wakes & kSink) finished_.notify_all();
  if (wakes & (kEmpty | kNoneRunning)) idle_.notify_all();
}

// The woken threads wait for the mutex no longer than this thread takes to sleep.
void SharedDispatch::wait_for_work(Lock& lock, int worker) {
  wake(take_wakes());
  (worker < dispatch_.workers() ? work_ : standby_).wait(lock);
}

void SharedDispatch::wait_for_a_side(Lock& lock) {
  wake(take_wakes());
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
