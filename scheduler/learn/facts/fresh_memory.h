// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "scheduler/machine/clock.h"
#include "scheduler/machine/probe.h"

namespace tandem {

/// Whether frames still make memory for their tensors, which later frames reuse. More frames are
/// under way for a while after another configuration has begun. The tensors of a frame of scenes at
/// 1920x1080 are 243 MB, whose pages are touched and locked while a driver waits.
class FreshMemory {
 public:
  /// For long frames, to be called for each: true until no buffer was made for kQuiet_s.
  bool is_made(const Probe& now) {
    if (take(now) > 0) since_ns_ = now.now_ns;
    return since_ns_ != 0 && seconds(now.now_ns - since_ns_) < kQuiet_s;
  }

  /// For short frames, before the first of them begins.
  void begin(const Probe& now) { take(now); }

  /// For short frames, of which `frames` were seen and the last could leave at `ready_ns`. True
  /// until few frames since the last reading made buffers. Readings are at least a round and 10 ms
  /// apart, as a frame that leaves late is followed by many.
  bool is_made(int frames, int round, uint64_t ready_ns, const ReadProbe& read_probe) {
    const int since = frames - frames_;
    if (is_making_ && (since < round || seconds(ready_ns - asked_ns_) < kApart_s)) return true;
    is_making_ = static_cast<double>(take(read_probe())) > kFew * since;
    frames_ = frames;
    asked_ns_ = ready_ns;
    return is_making_;
  }

 private:
  static constexpr double kQuiet_s = 0.15, kApart_s = 0.01;
  static constexpr double kFew = 0.1;  // buffers a frame

  // The number of buffers made since the last reading.
  uint64_t take(const Probe& now) {
    const uint64_t more = asked_ ? now.buffers_made - made_ : 0;
    made_ = now.buffers_made;
    asked_ = true;
    return more;
  }

  bool asked_ = false;
  uint64_t made_ = 0, since_ns_ = 0;  // since when no more was made; 0: none was
  bool is_making_ = false;            // at the last reading, after `frames_` at `asked_ns_`
  int frames_ = 0;
  uint64_t asked_ns_ = 0;
};

}  // namespace tandem
