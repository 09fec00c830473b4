// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/bands.h"
#include "scheduler/flow/rules/frame_entry.h"

namespace tandem {

/// The cores of medium grain: one pool of all of them, two of a half, four of a quarter.
class CorePools {
 public:
  explicit CorePools(int cores) {
    for (const int frames : kFramesAtOnce)
      for (int i = 0; i < frames; ++i)
        pools_.push_back(std::make_unique<BandPool>(std::max(1, cores / frames)));
  }

  /// The pool of a frame that has its part of the cores.
  BandPool& of(const FrameEntry& entry) {
    const int frames = entry.item->times.configuration.frames_at_once;
    return *pools_[frames - 1 + entry.part_of_cores];
  }
  /// Processor time of the threads that help the drivers.
  double helpers_cpu_s() const {
    double sum_s = 0;
    for (const auto& pool : pools_) sum_s += pool->helpers_cpu_s();
    return sum_s;
  }

 private:
  std::vector<std::unique_ptr<BandPool>> pools_;
};

}  // namespace tandem
