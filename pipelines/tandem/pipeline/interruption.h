// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <atomic>
#include <csignal>

#include "pipelines/tandem/pipeline/end_guard.h"

namespace tandem {

/// While it lives, the first of end_signals() sets came(), and a second one ends the process: for
/// long work in pieces that keeps what it has. One at a time.
class Interruption {
 public:
  Interruption() {
    for (const int number : end_signals()) std::signal(number, note);
  }
  ~Interruption() {
    for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_DFL);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static const std::atomic<bool>& came() { return came_; }

 private:
  static void note(int number) {
    came_ = true;
    if (counts_again(number)) std::signal(number, SIG_DFL);
  }
  static inline std::atomic<bool> came_{false};
};

}  // namespace tandem
