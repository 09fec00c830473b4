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
    take(now);
    return since_ns_ != 0 && seconds(now.now_ns - since_ns_) < kQuiet_s;
  }

  /// Of short ones, to be asked after so many, which began together: until few of them made some.
  bool is_made_by(int frames, const Probe& now) {
    return static_cast<double>(take(now)) > kFew * frames;
  }

 private:
  static constexpr double kQuiet_s = 0.15;
  static constexpr double kFew = 0.1;  // buffers a frame

  // How many were made since it was asked last.
  uint64_t take(const Probe& now) {
    const uint64_t more = asked_ ? now.buffers_made - made_ : 0;
    if (more > 0) since_ns_ = now.now_ns;
    made_ = now.buffers_made;
    asked_ = true;
    return more;
  }

  bool asked_ = false;
  uint64_t made_ = 0, since_ns_ = 0;  // since when no more was made; 0: none was
};

}  // namespace tandem
