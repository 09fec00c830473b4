// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
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
  void clear();  ///< makes room for other output

 private:
  const bool terminal_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point next_;
};

/// "1:05" or "2:03:05"; "?" when negative.
std::string clock_time(double seconds);

}  // namespace tandem
