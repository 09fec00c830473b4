// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <sys/types.h>

#include <chrono>
#include <string>
#include <vector>

#include "files/own_folder.h"

namespace tandem {

struct ChildResult {
  int status = -1;     ///< exit status; negative: it did not start, crashed or took too long
  std::string output;  ///< beginning of both streams
  bool timed_out = false;
  int signal = 0;  ///< signal that ended it; 0: it exited, did not start or took too long

  /// A failed program's output, or how it ended if it has written nothing.
  std::string reason() const;
};

/// Runs a program without input, in the C locale and with default signals, and waits for it, `most`
/// at most. The host may ignore SIGCHLD or reap all children. No process of the program's group
/// outlives the call or this process.
///
/// `folder`: working directory of the program, also for its temporary files. Null: that of this
/// process.
ChildResult run_child(const std::vector<std::string>& words, std::chrono::milliseconds most,
                      const OwnFolder* folder = nullptr);

/// A killed process ends within a scheduling round, unless a driver holds it in the kernel.
inline constexpr std::chrono::milliseconds kMostReapTime{1000};

/// Waits for a child of this process until `end`. Returns false if it has not ended by then; one
/// that even SIGKILL does not end is left to the system. `status`: as waitpid() reports it, or -1
/// if the host has reaped the child.
bool reap_child(pid_t child, std::chrono::steady_clock::time_point end, int& status);

}  // namespace tandem
