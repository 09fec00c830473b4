// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstdint>

#include "scheduler/flow/way.h"

namespace tandem {

/// Stages that are computed in one pass over a frame, if it passes them one after the other on one
/// side. Bit k stands for the stages k and k + 1. The sides differ, because the code of a pass may
/// compile for one of them alone.
struct Fused {
  /// Most stages of one pass: each part of a run has code of its own, n (n - 1) / 2 of them.
  static constexpr int kMost = 4;
  uint32_t on_cores = 0, on_device = 0;

  uint32_t on(bool device) const { return device ? on_device : on_cores; }
};

/// How many positions from this one on, before `last`, are one pass; 1: it is alone. A stage that
/// the frame passes several times is always alone.
inline int one_pass(const Way& way, const Repeat& repeat, uint32_t pairs, int position, int last) {
  int count = 1;
  const int most = pairs == 0 ? 1 : std::min(Fused::kMost, last - position);
  for (; count < most; ++count) {
    const int stage = way.stage(position + count - 1);
    if ((pairs >> stage & 1) == 0 || repeat.holds(stage) || repeat.holds(stage + 1)) break;
  }
  return count;
}

}  // namespace tandem
