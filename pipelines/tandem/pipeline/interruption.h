// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <chrono>

#include "pipelines/tandem/pipeline/end_guard.h"

namespace tandem {

/// While it lives, the first of end_signals() sets came(), and a second one ends the process: for
/// long work in pieces that keeps what it has. One at a time.
class Interruption {
 public:
  Interruption() {
    prepare().listen([](int) { came_ = true; });
  }
  ~Interruption() { prepare().stand_down(); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Call it before the first other thread starts, as EndGuard::start().
  static EndGuard& prepare() { return EndGuard::start({.patience = std::chrono::years(1)}); }
  static const std::atomic<bool>& came() { return came_; }

 private:
  static inline std::atomic<bool> came_{false};
};

}  // namespace tandem
