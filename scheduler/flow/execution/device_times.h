// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "model/configuration.h"
#include "scheduler/flow/execution/execution_context.h"
#include "scheduler/flow/rules/frame_entry.h"
#include "scheduler/flow/status.h"

namespace tandem {

/// Times of stages on each kind of device, and the pieces into which long runs are cut. A run
/// that takes at most 100 ms is one piece. Lock-free; from any thread.
class DeviceTimes {
 public:
  explicit DeviceTimes(const ExecutionContext& context) : context_(context) {}

  /// Called for frames of another size: all times are unknown again.
  void frames_change();
  /// Called for another configuration, whose runs are cut again.
  void configuration_changes() { piece_ = 0; }

  /// Whether a stage takes longer than a run that is not cut, or is unknown.
  bool is_long(int lane, int stage) const;
  /// Half-open end of the piece of the action that begins at entry.sent_until. A stage that is long
  /// or unknown is a piece of its own, so that it is timed.
  int end_of_piece(const FrameEntry& entry, const FrameAction& action) const;

  /// Calls `enqueue` for a stage of the frame on its lane. The commands of a stage that is long, or
  /// may be, are waited for while they are enqueued, so that a stop is noticed between them.
  template <class Enqueue>
  Status paced(const Item& item, int stage, Enqueue&& enqueue) const {
    const bool paced = is_long(item.lane, stage);
    if (paced) context_.device->pace(item.lane, &context_.stop);
    Status status = enqueue();
    if (paced) context_.device->pace(item.lane, nullptr);
    return paced && context_.stop ? aborted() : status;
  }

  /// Records the common time of `count` stages from this one on.
  void learn(int lane, int stage, uint64_t took_ns, int count);
  /// Records the time of the enqueued piece of the frame.
  void learn_piece(const FrameEntry& entry, uint64_t took_ns);

 private:
  using StageTimes = std::array<std::atomic<uint64_t>, kMaxStages>;  // 0: unknown
  std::size_t kind(int lane) const;

  const ExecutionContext& context_;
  std::atomic<int> piece_{0};                 ///< positions, in this configuration; 0: unknown
  std::array<StageTimes, kMaxLetters> ns_{};  ///< of a whole stage, on each kind of device
};

}  // namespace tandem
