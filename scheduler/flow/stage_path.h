// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "model/configuration.h"

namespace tandem {

/// Stages that a frame passes several times: `first` to `last`, `rounds` times.
struct Repeat {
  int first = 0, last = 0;
  int rounds = 1;

  bool holds(int stage) const { return rounds > 1 && stage >= first && stage <= last; }
};

/// Stages that can be fused: computed in one loop or one kernel, if a frame passes them one after
/// the other on one side. Bit k stands for the stages k and k + 1. The sides differ, because the
/// code of fused stages may compile for one of them alone.
struct Fused {
  /// Most stages fused: each part of a run has code of its own, n (n - 1) / 2 of them.
  static constexpr int kMost = 4;
  uint32_t on_cores = 0, on_device = 0;

  uint32_t on(bool device) const { return device ? on_device : on_cores; }
};

/// The sequence of stages that a frame passes. A position is an index into it; a repeated stage has
/// several positions, and a stage that leaves the frame out has none.
class StagePath {
 public:
  /// `left_out`: bit k: stage k leaves the frame out; all stages of a repeated part, or none.
  StagePath(int stages, const Repeat& repeat, uint32_t left_out = 0) {
    for (int k = 0; k < stages; ++k) {
      if (k == repeat.first) repeat_.first = visited_;
      if ((left_out >> k & 1) == 0) stage_[visited_++] = static_cast<uint8_t>(k);
    }
    if ((left_out >> repeat.first & 1) == 0) repeat_.rounds = repeat.rounds;
    round_length_ = repeat.last - repeat.first + 1;
    repeat_.last = repeat_.first + round_length_ - 1;
    extra_ = (repeat_.rounds - 1) * round_length_;
  }

  int length() const { return visited_ + extra_; }
  int stage(int position) const { return stage_[index(position)]; }
  /// How often the frame has passed this position's stage before.
  int round(int position) const {
    if (position < repeat_.first) return 0;
    const int round = (position - repeat_.first) / round_length_;
    return round < repeat_.rounds ? round : 0;
  }
  bool last_visit(int position) const {
    return !repeat_.holds(index(position)) || round(position) + 1 == repeat_.rounds;
  }
  /// How many positions from this one on, before `last`, are fused by `pairs`, which are those of
  /// Fused; 1: it is alone. A stage that the frame passes several times is always alone.
  int fused_length(uint32_t pairs, int position, int last) const {
    int count = 1;
    const int most = pairs == 0 ? 1 : std::min(Fused::kMost, last - position);
    for (; count < most; ++count) {
      const int at = index(position + count - 1), next = index(position + count);
      const bool neighbours = stage_[next] == stage_[at] + 1;
      if (!neighbours || (pairs >> stage_[at] & 1) == 0 || repeat_.holds(at) || repeat_.holds(next))
        break;
    }
    return count;
  }

 private:
  // Into stage_.
  int index(int position) const {
    return position < repeat_.first + extra_ ? repeat_.first + past_first(position)
                                             : position - extra_;
  }
  // Offset of a position in its round; negative before the first round.
  int past_first(int position) const {
    const int past = position - repeat_.first;
    return past < 0 ? past : past % round_length_;
  }

  std::array<uint8_t, kMaxStages> stage_{};  ///< those that the frame passes, each once
  int visited_ = 0;                          ///< how many
  Repeat repeat_;                            ///< by index
  int round_length_ = 1, extra_ = 0;
};

}  // namespace tandem
