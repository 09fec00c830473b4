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
  /// To be asked for each frame.
  bool is_made(const Probe& now) {
    if (asked_ && now.buffers_made != made_) since_ns_ = now.now_ns;
    made_ = now.buffers_made;
    asked_ = true;
    return since_ns_ != 0 && seconds(now.now_ns - since_ns_) < kQuiet_s;
  }

 private:
  static constexpr double kQuiet_s = 0.15;

  bool asked_ = false;
  uint64_t made_ = 0, since_ns_ = 0;  // since when no more was made; 0: none was
};

}  // namespace tandem
