// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "scheduler/flow/execution/frame_counters.h"
#include "scheduler/flow/item.h"
#include "scheduler/flow/stage.h"
#include "scheduler/flow/stage_path.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// The stages, the device, the clock and the counters that all executions of frames use.
/// Thread-safe.
struct ExecutionContext {
  using Clock = uint64_t (*)();

  ExecutionContext(std::vector<Stage*> of, Device* on, Clock by)
      : stages(std::move(of)), device(on), clock(by), counters(stages.size()) {}

  const std::vector<Stage*> stages;
  Device* const device;  ///< may be null: no stage runs on it
  const Clock clock;
  std::atomic<bool> stop{false};  ///< aborted: threads that compute leave the rest undone
  FrameCounters counters;

  uint64_t now_ns() const { return clock(); }
  /// The stage at this position of the frame's path, in that round.
  Stage& enter(Item& item, const StagePath& path, int position) const {
    item.round = path.round(position);
    return *stages[path.stage(position)];
  }
};

/// Work between two checks of ExecutionContext::stop, on the device or on one core. A stop takes at
/// most a few times as long.
inline constexpr uint64_t kPieceNs = 40'000'000;

inline Status aborted() { return Status::failed("aborted"); }

}  // namespace tandem
