// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace tandem {

/// Times at which the parts of one segment of a split frame were done, by the executor's clock.
struct SplitTimes {
  uint64_t begin_ns = 0;        ///< the segment begins
  uint64_t start_ns = 0;        ///< both sides begin
  uint64_t enqueued_ns = 0;     ///< the device has its commands
  uint64_t cores_done_ns = 0;   ///< the cores' rows, without a stage that changes the frame
  uint64_t device_done_ns = 0;  ///< the device's rows
  uint64_t waited_ns = 0;       ///< the thread has noticed both
  uint64_t changed_ns = 0;      ///< the cores' rows of a stage that changes the frame

  uint64_t cores_ns() const { return cores_done_ns - start_ns + changed_ns - waited_ns; }
  uint64_t device_ns() const { return device_done_ns - start_ns; }
};

/// Time of split frames, as sums over their segments. The phases in order: prepare, both sides
/// compute, wait, join.
struct SplitStats {
  uint64_t segments = 0;
  uint64_t prepare_ns = 0;  ///< finding inputs, planning rows, copying them to their sides
  uint64_t enqueue_ns = 0;  ///< the device's commands, while the cores compute
  uint64_t cores_ns = 0;    ///< until the cores were done
  uint64_t device_ns = 0;   ///< until the device was
  uint64_t wait_ns = 0;     ///< the thread waits for the device alone
  uint64_t join_ns = 0;     ///< finishing the stages after both sides
};

/// SplitStats to which several threads add. Lock-free.
class SplitCounter {
 public:
  void add(const SplitTimes& times, uint64_t now_ns) {
    const uint64_t busy_until_ns = std::max(times.cores_done_ns, times.enqueued_ns);
    add(segments_, 1);
    add(prepare_ns_, times.start_ns - times.begin_ns);
    add(enqueue_ns_, times.enqueued_ns - times.start_ns);
    add(cores_ns_, times.cores_ns());
    add(device_ns_, times.device_ns());
    add(wait_ns_, times.waited_ns - busy_until_ns);
    add(join_ns_, now_ns - times.changed_ns);
  }
  SplitStats read() const {
    return {segments_, prepare_ns_, enqueue_ns_, cores_ns_, device_ns_, wait_ns_, join_ns_};
  }

 private:
  using Count = std::atomic<uint64_t>;
  static void add(Count& count, uint64_t more) { count.fetch_add(more, std::memory_order_relaxed); }

  Count segments_{0}, prepare_ns_{0}, enqueue_ns_{0}, cores_ns_{0}, device_ns_{0}, wait_ns_{0},
      join_ns_{0};
};

}  // namespace tandem
