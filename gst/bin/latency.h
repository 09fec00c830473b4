// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "model/measurements.h"

namespace tandem {

/// What the bin answers to LATENCY queries: how much later frames leave than they came. A sink
/// waits for so long, so the answer has to hold for nearly all frames of a source that the stages
/// keep up with. It changes when another configuration runs, or when frames take longer.
class BinLatency {
 public:
  /// What runs works on so many frames at a time, and 95 of 100 frames are expected to take
  /// `p95_s` at most; unknown while frames train and where nothing was learnt. True when the answer
  /// is another one than before.
  bool decided(int frames_at_a_time, double p95_s);
  /// As measured since. True when the answer has to be another one.
  bool measured(double p95_s);
  /// For frames that come so far apart.
  uint64_t answer_ns(uint64_t frame_ns) const;

 private:
  int frames_at_a_time_ = 0;
  double seconds_ = kUnknown;  ///< room for nearly all frames
};

}  // namespace tandem
