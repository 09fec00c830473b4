// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>
#include <utility>

namespace tandem {

/// Threads to wake, as bits.
enum Wakeup : uint32_t {
  kOneWorker = 1,    ///< one of the workers in use
  kWorkers = 2,      ///< all workers, and those that may be in use from now on
  kSides = 4,        ///< workers whose action was FrameAction::Kind::wait
  kSource = 8,       ///< there may be space, see FlowControl::source_should_wake()
  kSink = 16,        ///< there may be a frame to take
  kEmpty = 32,       ///< nothing may be in flight
  kNoneRunning = 64  ///< no frame is being computed
};

/// Collects the wake-ups that the rules request while they run under the executor's lock. The
/// executor notifies the threads after it has released the lock.
class Wakeups {
 public:
  void add(uint32_t bits) { bits_ |= bits; }
  /// Returns the bits added since the last call.
  uint32_t take() { return std::exchange(bits_, 0); }

 private:
  uint32_t bits_ = 0;
};

}  // namespace tandem
