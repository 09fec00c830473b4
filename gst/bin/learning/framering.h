// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "scheduler/frame_times.h"

namespace tandem::bin {

/// The facts of a finished frame for the controller. A copy, because the frame itself has left by
/// then.
struct FrameFacts {
  FrameTimes times;
  uint32_t device_stages = 0;  ///< as Item::device_stages
};
static_assert(std::is_trivially_copyable_v<FrameFacts>);

/// Bounded ring of facts in the order of the stream. One thread pushes, one at a time takes. No
/// function allocates, locks or waits.
class FrameRing {
 public:
  /// Frames. At 20 000 frames/s the ring holds 50 ms of them, more than one decision takes.
  static constexpr uint64_t kCapacity = 1024;

  /// False: the ring is full.
  bool push(const FrameTimes& times, uint32_t device_stages) {
    const uint64_t pushed = pushed_.load(std::memory_order_relaxed);
    if (pushed - taken_ == kCapacity) return false;
    entries_[pushed % kCapacity] = {times, device_stages};
    pushed_ = pushed + 1;
    return true;
  }

  /// The oldest entry, which stays valid until pop(). Null: the ring is empty.
  const FrameFacts* front() const {
    const uint64_t taken = taken_.load(std::memory_order_relaxed);
    return taken == pushed_ ? nullptr : &entries_[taken % kCapacity];
  }
  void pop() { taken_ = taken_.load(std::memory_order_relaxed) + 1; }

  /// Entries so far, for any thread.
  uint64_t pushed() const { return pushed_; }
  uint64_t waiting() const { return pushed_ - taken_; }
  bool full() const { return waiting() == kCapacity; }

 private:
  static constexpr int kCacheLine = 64;  // bytes

  std::vector<FrameFacts> entries_ = std::vector<FrameFacts>(kCapacity);
  // Sequentially consistent: each side writes its own and then reads whether the other one waits.
  alignas(kCacheLine) std::atomic<uint64_t> pushed_{0};
  alignas(kCacheLine) std::atomic<uint64_t> taken_{0};
};

}  // namespace tandem::bin
