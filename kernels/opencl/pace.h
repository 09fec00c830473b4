// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace tandem::opencl {

/// Limits how many commands of one kind are enqueued before a wait, so that the device never has
/// much more than kPieceNs of them in its queue. The time of a command is estimated from the waits.
/// The first command is waited for alone. A piece has at most kMostGrowth times the commands of the
/// one before.
class Pace {
 public:
  static constexpr uint64_t kPieceNs = 40'000'000;
  static constexpr int kMostGrowth = 4;

  /// A command was enqueued. Returns whether to wait for it.
  bool enqueued() { return ++commands_ >= allowed_; }
  /// All commands since the last wait are done, after `took_ns`.
  void waited(uint64_t took_ns) {
    const double fitting = static_cast<double>(commands_) * static_cast<double>(kPieceNs) /
                           static_cast<double>(std::max<uint64_t>(took_ns, 1));
    allowed_ = static_cast<int>(std::clamp<double>(fitting, 1, double{kMostGrowth} * commands_));
    commands_ = 0;
  }

 private:
  int commands_ = 0, allowed_ = 1;
};

}  // namespace tandem::opencl
