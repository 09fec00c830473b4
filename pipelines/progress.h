// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>

namespace tandem {

/// One line on stderr that tells how far the work is: redrawn in place on a terminal, otherwise
/// written anew every few seconds so that a log stays short.
class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const std::string& text);
  void clear();                          ///< makes room for other output
  void finish(const std::string& text);  ///< a last line, which stays

 private:
  const bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

/// The progress of a step whose parts are counted; its last line says how long the step took.
class Progress {
 public:
  Progress(std::string title, std::size_t total);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// One more of `total` is done. Safe from many threads. `note` is shown after the count.
  void advance(const std::string& note = {});

 private:
  // "title: 3/10" and what follows, then the note.
  std::string text(const std::string& what) const;
  double elapsed_s() const;

  const std::string title_;
  const std::size_t total_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::mutex mutex_;  // guards what follows; nothing else is locked under it
  std::size_t done_ = 0;
  std::string note_;
  ProgressLine line_;
};

/// "1:05" or "2:03:05"; "?" when negative.
std::string clock_time(double seconds);

}  // namespace tandem
