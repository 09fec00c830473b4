// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <chrono>

#include "pipelines/tandem/pipeline/end_guard.h"

namespace tandem {

/// While it lives, the first of end_signals() sets came(), for long work in pieces that keeps its
/// results. Later the first one changes nothing, as results are being written. A second one ends
/// the process. One at a time.
class Interruption {
 public:
  Interruption() {
    prepare().listen([](int) { came_ = true; });
  }
  ~Interruption() { prepare().listen({}); }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  /// Call it as EndGuard::start(). A signal before the constructor ends the process. Pieces of work
  /// take as long as they need after one.
  static EndGuard& prepare() { return EndGuard::start({.patience = std::chrono::years(1)}); }
  static const std::atomic<bool>& came() { return came_; }

 private:
  static inline std::atomic<bool> came_{false};
};

}  // namespace tandem
