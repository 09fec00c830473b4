// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>

#include "scheduler/flow/fused.h"
#include "scheduler/flow/status.h"
#include "scheduler/flow/way.h"
#include "scheduler/frame_times.h"

namespace tandem {

/// One frame on its way through the stages. The host derives its own and adds what stages need.
/// Belongs to one thread at a time: whoever submits, one driver thread, whoever takes it out.
struct Item {
  virtual ~Item() = default;

  /// Called by the executor on a driver thread when the stages are done with it, before it waits
  /// for its turn to leave: gives back what only the stages needed.
  virtual void completed() {}

  /// Called on a driver thread when it has to wait for its turn at a serial stage: gives back what
  /// only the stages before that needed. Should the device fail, stages are computed again from
  /// `restart` on.
  virtual void waits([[maybe_unused]] int stage, [[maybe_unused]] int restart) {}

  uint64_t sequence = 0;  ///< set by Executor::submit, counts from 0
  Repeat repeat;          ///< set by the host before it submits
  Fused fused;            ///< likewise
  int round = 0;          ///< how often it passed the stage at work before; set by the executor
  /// On a device: one of its lanes; negative on the CPU. Set by the executor.
  int lane = 0;
  /// Of which kind the devices are that the stage at work is mapped to, also when the CPU computes
  /// it; 0 where it is mapped to the CPU. Set by the executor.
  int kind = 0;
  uint32_t fused_stages = 0;   ///< bit k: stage k was computed in one pass with others
  bool in_bands = false;       ///< a device computed a part of its way in bands
  uint32_t device_stages = 0;  ///< bit k: stage k was computed on the device, in one round at least
  /// While the CPU computes a stage: once it is set, whoever computes or finishes may leave the
  /// rest undone, because the item will fail. Set by the executor; null: it computes to the end.
  const std::atomic<bool>* stop = nullptr;
  Status status;  ///< what went wrong with it; set by the executor

  FrameTimes times;  ///< set by the executor
};

}  // namespace tandem
