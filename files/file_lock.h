// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <string>

#include "files/own_folder.h"

namespace tandem {

/// Keeps other processes, and other locks of this one, out for as long as it lives. The kernel
/// gives it back when the process dies.
class FileLock {
 public:
  /// Of a file that is for this alone and is made when it is not there. Waits for `most` at most.
  FileLock(const OwnFolder& folder, const std::string& name, std::chrono::milliseconds most);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Empty when it is held: "cannot be locked: Permission denied".
  const std::string& problem() const { return problem_; }

 private:
  std::string take(const OwnFolder& folder, const std::string& name,
                   std::chrono::milliseconds most);

  int file_ = -1;
  std::string problem_;
};

}  // namespace tandem
