// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/stage.h"

namespace tandem {

/// The cores as one device: medium grain computes a stage of one frame in bands of rows on all of
/// them. One caller at a time.
class BandPool {
 public:
  /// The rows of a stage from `first` on.
  struct Part {
    Stage* stage;
    int number;  ///< of the stage in the chain, for Stage::needs()
    int first;
  };

  explicit BandPool(int cores);
  ~BandPool();

  /// Computes the rows of the stage from `first` on; the calling thread takes part. Bands that have
  /// not begun when `stop` becomes true are left out.
  void compute(Stage& stage, Item& item, int first, const std::atomic<bool>& stop) {
    const Part part{&stage, 0, first};
    compute({&part, 1}, item, stop);
  }
  /// Computes several stages, at most kMaxStages, one after the other. All of them are begun. A
  /// band waits for the rows that it needs of the stages before it. If the frame passes stages
  /// again, it waits for all of their rows, because a stage may write the input of an earlier one.
  void compute(std::span<const Part> parts, Item& item, const std::atomic<bool>& stop);

  /// Runs `here` on the calling thread and, at the same time, `there` on another of the cores.
  /// `there` may call compute(). The calling thread helps when it is done. On one core it runs
  /// both, `here` first.
  void beside(const std::function<void()>& here, const std::function<void()>& there);

  /// Runs `here` on the calling thread. oneTBB's algorithms use these cores meanwhile.
  void run(const std::function<void()>& here);

  /// Processor time of the threads that helped the callers.
  double helpers_cpu_s() const;

 private:
  struct Arena;  // oneTBB's
  struct Bands;
  struct Job;
  struct Share;
  void help(Job& job);
  void compute_bands(const Job& job, int part, int first_band, int end_band);
  Share& share(int part, int thread);
  void await(const Bands& of, int first, int end) const;

  const int cores_;
  std::unique_ptr<Arena> arena_;
  std::unique_ptr<std::atomic<bool>[]> done_;  ///< of each band of compute(), while it runs
  std::unique_ptr<Share[]> shares_;            ///< of each part and thread, while it runs
  std::thread::id caller_;                     ///< of beside(), while it runs
  std::atomic<uint64_t> helpers_cpu_ns_{0};
};

/// The cores of medium grain: one pool of all of them, two of a half, four of a quarter.
class CorePools {
 public:
  explicit CorePools(int cores) {
    for (const int frames : kFramesAtOnce)
      for (int i = 0; i < frames; ++i)
        pools_.push_back(std::make_unique<BandPool>(std::max(1, cores / frames)));
  }

  /// The pool of a frame that holds a partition of the cores.
  BandPool& of(const FrameEntry& entry) {
    const int frames = entry.item->times.configuration.frames_at_once;
    return *pools_[frames - 1 + entry.core_partition];
  }
  /// Processor time of the threads that help the workers.
  double helpers_cpu_s() const {
    double sum_s = 0;
    for (const auto& pool : pools_) sum_s += pool->helpers_cpu_s();
    return sum_s;
  }

 private:
  std::vector<std::unique_ptr<BandPool>> pools_;
};

}  // namespace tandem
