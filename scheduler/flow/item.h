// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <cstdint>

#include "scheduler/flow/stage_path.h"
#include "scheduler/flow/status.h"
#include "scheduler/frame_times.h"

namespace tandem {

/// One frame on its way through the stages. The host derives its own and adds the data of the
/// stages. It belongs to one thread at a time: the one that submits, a worker, the one that takes
/// it out.
struct Item {
  virtual ~Item() = default;

  /// Called on a worker thread, with no lock held, when all stages are done and the frame waits for
  /// its turn to leave. Gives back resources that only the stages needed.
  virtual void completed() {}

  /// Called on a worker thread, with no lock held, when the frame waits for its turn at a serial
  /// stage. Gives back resources that only the stages before need. After a failure of the device,
  /// stages are computed again from `restart` on.
  virtual void waits([[maybe_unused]] int stage, [[maybe_unused]] int restart) {}

  uint64_t sequence = 0;  ///< set by Executor::submit, counts from 0
  Repeat repeat;          ///< set by the host before it submits
  Fused fused;            ///< likewise
  /// Bit k: stage k leaves the frame out; see Intervals. Likewise.
  uint32_t left_out = 0;
  int round = 0;  ///< earlier passes through the current stage; set by the executor
  /// Lane of a device; negative on the CPU. Set by the executor.
  int lane = 0;
  /// Kind of the devices that the current stage is mapped to, also if the CPU computes it; 0 if it
  /// is mapped to the CPU. Set by the executor.
  int kind = 0;
  /// `count` stages from this one on were fused.
  void note_fused(int stage, int count) {
    if (count > 1) fused_stages |= ((1u << count) - 1) << stage;
  }
  uint32_t fused_stages = 0;   ///< bit k: stage k was fused with others
  bool in_bands = false;       ///< a device computed some of its stages in bands
  uint32_t device_stages = 0;  ///< bit k: stage k was computed on the device, in one round at least
  /// While the CPU computes a stage: once it is true, the stage may leave the rest undone, because
  /// the frame fails. Set by the executor; null: the stage computes to the end.
  const std::atomic<bool>* stop = nullptr;
  Status status;  ///< why it failed; set by the executor

  FrameTimes times;  ///< set by the executor
};

}  // namespace tandem
