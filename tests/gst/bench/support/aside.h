// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <functional>
#include <string>

namespace tandem {

/// A process of its own that answers lines. Bins of one process share its cores; a stream that
/// another one takes turns with has all of them in a process of its own.
class Aside {
 public:
  /// Forks: for a program to make before anything has started a thread. `answer`, in the new
  /// process, takes a line and returns one; what it throws is told on stderr and ends the process.
  explicit Aside(const std::function<std::string(const std::string&)>& answer);
  ~Aside();
  Aside(const Aside&) = delete;
  Aside& operator=(const Aside&) = delete;

  /// Throws std::runtime_error when the process has ended.
  std::string ask(const std::string& line);

 private:
  int process_;
  int lines_, answers_;  // file descriptors
};

}  // namespace tandem
