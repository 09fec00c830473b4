// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "files/own_folder.h"

namespace tandem {

struct ChildResult {
  int status = -1;  ///< what it exited with; negative: it did not start, crashed or took too long
  std::string output;  ///< of both streams, the first of it
  bool timed_out = false;
  int signal = 0;  ///< what ended it; 0: it exited, did not start or took too long

  /// Of a program that failed: what it said, or how it ended where that has no words.
  std::string reason() const;
};

/// Runs a program with no input, in the C locale and with default signals, and waits for it, `most`
/// at most. The host may ignore SIGCHLD or reap all children. No process of the program's group
/// outlives the call or this process: neither one that takes too long nor one that it has left
/// behind.
///
/// `folder`: where the program runs, and where its temporary files go. Null: where this process is.
ChildResult run_child(const std::vector<std::string>& words, std::chrono::milliseconds most,
                      const OwnFolder* folder = nullptr);

}  // namespace tandem
