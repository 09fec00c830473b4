// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <cstdint>

#include "scheduler/machine/clock.h"
#include "scheduler/machine/probe.h"

namespace tandem {

/// Whether frames still make their tensors' memory, which the ones after them find made. More of
/// them are under way for a while after another configuration has begun: the tensors of a frame of
/// scenes at 1920x1080 are 243 MB, whose pages are touched and locked while a driver waits.
class FreshMemory {
 public:
  /// Of long frames, to be asked for each: until none was made for a while.
  bool is_made(const Probe& now) {
    if (take(now) > 0) since_ns_ = now.now_ns;
    return since_ns_ != 0 && seconds(now.now_ns - since_ns_) < kQuiet_s;
  }

  /// Of short ones, before the first of them begins.
  void begin(const Probe& now) { take(now); }

  /// Of short ones, of which so many were seen and the last could leave at `ready_ns`: until few of
  /// those since it was asked made some, a round of frames and all that leave in 10 ms, as one that
  /// leaves late is followed by many.
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

  // How many were made since it was asked last.
  uint64_t take(const Probe& now) {
    const uint64_t more = asked_ ? now.buffers_made - made_ : 0;
    made_ = now.buffers_made;
    asked_ = true;
    return more;
  }

  bool asked_ = false;
  uint64_t made_ = 0, since_ns_ = 0;  // since when no more was made; 0: none was
  bool is_making_ = false;            // when so many frames were seen, and the last could leave
  int frames_ = 0;
  uint64_t asked_ns_ = 0;
};

}  // namespace tandem
