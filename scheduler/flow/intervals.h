// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/configuration.h"
#include "scheduler/flow/stage_path.h"

namespace tandem {

/// Decides which stages compute a frame. A stage with the interval n computes a frame when n - 1
/// frames or more have passed since the one that it computed last. A stage that reads outputs of
/// another one leaves out the same frames. Stages that a frame passes several times compute it
/// together. The first frame is computed by all.
class Intervals {
 public:
  struct Rule {
    int interval = 1;    ///< frames; at least 1
    uint32_t reads = 0;  ///< bit j: stage j makes one of its inputs
    bool operator==(const Rule&) const = default;
  };
  static constexpr int kMost = 1000;  ///< frames, of an interval

  Intervals() = default;
  explicit Intervals(std::vector<Rule> stages, const Repeat& repeat = {}) {
    set(std::move(stages), repeat);
  }
  /// Restarts if the rules differ from those before.
  void set(std::vector<Rule> stages, const Repeat& repeat) {
    uint32_t repeated = 0;
    for (int k = repeat.first; k <= repeat.last && repeat.rounds > 1; ++k) repeated |= 1u << k;
    if (stages == stages_ && repeated == repeated_) return;
    stages_ = std::move(stages);
    repeated_ = repeated;
    restart();
  }

  /// The stages that leave the next frame out, as bits. `missing`: those with an input that the
  /// frame should carry and does not. `unknown`: those with an input that the frame does not carry
  /// and that any earlier stage may make.
  uint32_t next(uint32_t missing = 0, uint32_t unknown = 0) {
    uint32_t left_out = missing;
    for (std::size_t k = 0; k < stages_.size(); ++k)
      if (since_[k] < stages_[k].interval) left_out |= 1u << k;
    for (uint32_t before = ~left_out; before != left_out;) {
      before = left_out;
      for (std::size_t k = 0; k < stages_.size(); ++k) {
        const uint32_t before_it = (unknown >> k & 1) != 0 ? (1u << k) - 1 : 0;
        if (((stages_[k].reads | before_it) & left_out) != 0) left_out |= 1u << k;
      }
      if ((left_out & repeated_) != 0) left_out |= repeated_;
    }
    before_ = since_;
    for (std::size_t k = 0; k < stages_.size(); ++k)
      since_[k] = (left_out >> k & 1) == 0 ? 1 : std::min(since_[k] + 1, kMost);
    return left_out;
  }
  /// The last frame of next() will not be computed: the next one takes its place.
  void take_back() { since_ = before_; }
  /// The next frame is the first of a stream.
  void restart() {
    since_.fill(kMost);
    before_ = since_;
  }

  /// Distance between two frames that all stages compute, in frames; at most kMost.
  int period() const {
    Intervals frames = *this;
    frames.restart();
    int period = 0;
    bool all_due = false;
    while (period < kMost && !all_due) {
      frames.next();
      ++period;
      all_due = true;
      for (std::size_t k = 0; k < stages_.size(); ++k)
        all_due = all_due && frames.since_[k] >= stages_[k].interval;
    }
    return period;
  }

 private:
  std::vector<Rule> stages_;
  uint32_t repeated_ = 0;  // stages that are computed together
  // Frames from the one that a stage computed last to the next one.
  using Since = std::array<int, kMaxStages>;
  Since since_{}, before_{};
};

}  // namespace tandem
