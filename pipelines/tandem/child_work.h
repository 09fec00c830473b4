// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>

namespace tandem {

/// Memory of two processes, in which the child writes what it does at the moment: the parent reads
/// it when the child has crashed.
class Doing {
 public:
  Doing();
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;
  /// `step`: a number of the caller's.
  void say(const std::string& text, int step);
  std::string text() const;
  int step() const;

 private:
  struct Shared;
  Shared* const shared_;
};

struct ChildEnd {
  bool is_child = false;  ///< this process is the child, and `work` has returned
  int status = 0;         ///< what `work` returned
  int signal = 0;         ///< what ended the child instead; 0: it returned
};
/// Runs `work` in a child process, as long as this one has a single thread. Both processes return:
/// the child when `work` has returned or thrown, the parent when the child has ended.
ChildEnd run_in_child(const std::function<int()>& work);

}  // namespace tandem
