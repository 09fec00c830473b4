// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <functional>
#include <string>

namespace tandem {

/// Memory shared by two processes, in which the child writes its current step. The parent ends a
/// child whose step exceeds its limit, and reads that step.
class Doing {
 public:
  Doing();
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;
  /// A step begins, and ends within `most`, or else the child does. `step`: a number of the
  /// caller's.
  void begin(const std::string& text, int step, std::chrono::seconds most);
  std::string text() const;
  int step() const;
  std::chrono::seconds most() const;
  int begun() const;  ///< how many steps

 private:
  struct Shared;
  Shared* const shared_;
};

struct ChildEnd {
  bool is_child = false;   ///< this process is the child, and `work` has returned
  int status = 0;          ///< what `work` returned
  int signal = 0;          ///< what ended the child instead; 0: it returned
  bool timed_out = false;  ///< it took too long for its last step, and was ended
};
/// Runs `work` in a child process, as long as this one has a single thread. Both processes return:
/// the child when `work` has returned or thrown, the parent when the child has ended. No process
/// that the child has started outlives it.
ChildEnd run_in_child(Doing& doing, const std::function<int()>& work);

}  // namespace tandem
