// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "model/configuration.h"
#include "scheduler/flow/item.h"

namespace tandem {

/// A counter to which several threads add. Lock-free. A copy has the value of that moment.
class Count {
 public:
  Count() = default;
  Count(const Count& other) : value_(other) {}
  Count& operator=(const Count&) = delete;
  operator uint64_t() const {  // NOLINT(google-explicit-constructor)
    return value_.load(std::memory_order_relaxed);
  }
  void operator+=(uint64_t more) { value_.fetch_add(more, std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

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

/// Times of split frames, as sums over their segments. The phases in order: prepare, both sides
/// compute, wait, join.
struct SplitStats {
  Count segments;
  Count prepare_ns;  ///< finding inputs, planning rows, copying them to their sides
  Count enqueue_ns;  ///< the device's commands, while the cores compute
  Count cores_ns;    ///< until the cores were done
  Count device_ns;   ///< until the device was
  Count wait_ns;     ///< the thread waits for the device alone
  Count join_ns;     ///< finishing the stages after both sides
};

/// Counts since start; times are sums over frames. A run of consecutive device stages is waited for
/// once: each of its stages gets an equal part of the time for which the run had the device.
struct ExecutorStats {
  struct PerStage {
    Count cpu_frames, device_frames;
    Count fused_frames;  ///< of both, fused with other stages
    Count cpu_ns, device_ns;
  };
  std::array<PerStage, kMaxStages> stages{};
  Count frames;           ///< finished
  Count frames_cpu;       ///< every stage that computed it on the CPU
  Count frames_device;    ///< every stage that computed it on the device
  Count frames_mixed;     ///< computed on both
  Count frames_passed;    ///< every stage left it out
  Count frames_in_bands;  ///< some stages on a device in bands
  Count device_failures;
  SplitStats split;
  int in_flight = 0;
};

/// Counts frames and times. Lock-free; from any thread.
class FrameCounters {
 public:
  explicit FrameCounters(std::size_t stages) : stages_(stages) {}

  /// Counts a finished frame by the results that were kept, so that each stage counts every frame
  /// that it computes once.
  void count(const Item& item);
  void count_device_failure() { stats_.device_failures += 1; }
  /// Adds the common time of `count` stages, in equal parts.
  void count_time(Item& item, int stage, uint64_t ns, bool on_device, int count = 1);
  void add_cpu_ns(int stage, uint64_t ns) { stats_.stages[stage].cpu_ns += ns; }
  void add_device_ns(int stage, uint64_t ns) { stats_.stages[stage].device_ns += ns; }
  void count_split(const SplitTimes& times, uint64_t now_ns);

  /// All but `in_flight`.
  const ExecutorStats& stats() const { return stats_; }

 private:
  const std::size_t stages_;
  ExecutorStats stats_;
};

}  // namespace tandem
