// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace tandem {

/// One line on the standard error that says how far a long step is and how long it still takes.
/// Rewritten in place on a terminal; elsewhere a line every tenth of the way.
class Progress {
 public:
  Progress(std::string title, std::size_t total);
  ~Progress();  ///< says how long the step took
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more of `total` is done. Safe from many threads. `note` is shown after the count.
  void advance(const std::string& note = {});

  /// Silences all progress, for tests.
  static void set_quiet(bool quiet);

 private:
  double elapsed_s() const;
  void print(const std::string& text, bool last);

  const std::string title_;
  const std::size_t total_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  // guards what follows; nothing else is locked under it
  std::size_t done_ = 0;
  std::string note_;
  double printed_s_ = 0;
  std::size_t printed_tenths_ = 0;
};

}  // namespace tandem
