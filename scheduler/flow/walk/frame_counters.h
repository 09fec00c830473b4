// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "model/configuration.h"
#include "scheduler/flow/item.h"
#include "scheduler/flow/split_times.h"

namespace tandem {

/// Counts since start; times are sums over frames. A run of consecutive device stages is waited for
/// once: each of its stages gets an equal part of the time for which the run had the device.
struct ExecutorStats {
  struct PerStage {
    uint64_t cpu_frames = 0, device_frames = 0;
    uint64_t fused_frames = 0;  ///< of both, in one pass with other stages
    uint64_t cpu_ns = 0, device_ns = 0;
  };
  std::array<PerStage, kMaxStages> stages{};
  uint64_t frames = 0;           ///< finished
  uint64_t frames_cpu = 0;       ///< every stage on the CPU
  uint64_t frames_device = 0;    ///< every stage on the device
  uint64_t frames_mixed = 0;     ///< the others
  uint64_t frames_in_bands = 0;  ///< some stages on a device in bands
  uint64_t device_failures = 0;
  int in_flight = 0;
  SplitStats split;
};

/// Counts frames and times. Lock-free; from any thread.
class FrameCounters {
 public:
  explicit FrameCounters(std::size_t stages) : stages_(stages) {}

  /// A frame is finished. The results that were kept decide how its stages are counted, so that
  /// each stage counts every frame once.
  void count(const Item& item);
  void count_device_failure() { device_failures_.fetch_add(1, std::memory_order_relaxed); }
  /// `count` stages took so long together; each of them gets an equal part.
  void count_time(Item& item, int stage, uint64_t ns, bool on_device, int count = 1);
  void add_cpu_ns(int stage, uint64_t ns) { add(per_stage_[stage].cpu_ns, ns); }
  void add_device_ns(int stage, uint64_t ns) { add(per_stage_[stage].device_ns, ns); }
  void count_split(const SplitTimes& times, uint64_t now_ns) { split_.add(times, now_ns); }

  /// All but `in_flight`.
  ExecutorStats read() const;

 private:
  using Count = std::atomic<uint64_t>;
  static void add(Count& count, uint64_t more) { count.fetch_add(more, std::memory_order_relaxed); }

  struct PerStage {
    Count cpu_frames{0}, device_frames{0}, fused_frames{0}, cpu_ns{0}, device_ns{0};
  };

  const std::size_t stages_;
  std::array<PerStage, kMaxStages> per_stage_;
  Count frames_{0}, frames_cpu_{0}, frames_device_{0}, frames_mixed_{0};
  Count frames_in_bands_{0};
  Count device_failures_{0};
  SplitCounter split_;
};

}  // namespace tandem
