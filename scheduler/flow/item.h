// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "model/configuration.h"
#include "scheduler/flow/status.h"
#include "scheduler/flow/way.h"

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
  int round = 0;          ///< how often it passed the stage at work before; set by the executor
  /// On a device: one of its lanes; negative on the CPU. Set by the executor.
  int lane = 0;
  uint32_t device_stages = 0;  ///< bit k: stage k was computed on the device, in one round at least
  /// While the CPU computes a stage: once it is set, whoever computes or finishes may leave the
  /// rest undone, because the item will fail. Set by the executor; null: it computes to the end.
  const std::atomic<bool>* stop = nullptr;
  Status status;  ///< what went wrong with it; set by the executor

  /// How long it took, set by the executor; what training and the watch over drift are made of.
  struct Times {
    Configuration configuration;  ///< under which it was begun
    uint64_t begin_ns = 0;        ///< steady clock, when a driver thread took it
    uint64_t end_ns = 0;          ///< when its last stage was done
    /// Of each stage, wherever it was computed, all its rounds.
    std::array<uint64_t, kMaxStages> stage_ns{};
    /// Copying the outputs of each stage between device and host, when stages were timed apart.
    std::array<uint64_t, kMaxStages> download_ns{}, upload_ns{};
    uint64_t waited_ns = 0;     ///< for its turn at serial stages
    uint64_t held_ns = 0;       ///< before it was let in: for a sink slower than the stages
    bool stages_apart = false;  ///< device stages were waited for one by one
    /// Its thread waited for it for a tenth of a frame's time or longer, and nothing was behind it
    /// when it was begun: the source does not keep the threads busy.
    bool starved = false;

    /// What it took without waiting for its turn.
    uint64_t service_ns() const { return end_ns - begin_ns - waited_ns; }
  };
  Times times;
};

}  // namespace tandem
