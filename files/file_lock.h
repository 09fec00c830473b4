// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <string>

#include "files/file_handle.h"

namespace tandem {

/// Keeps other processes, and other locks of this one, out for as long as it lives. The kernel
/// gives it back when the process dies.
class FileLock {
 public:
  /// Locks a file that serves nothing else and is made if it is missing, in the folder that is open
  /// as the handle `folder`. Waits for `most` at most.
  FileLock(int folder, const std::string& name, std::chrono::milliseconds most);
  ~FileLock();
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;

  /// Empty when it is held: "cannot be locked: Permission denied".
  const std::string& problem() const { return problem_; }
  /// The errno behind the problem; 0: it is held, or the problem has none.
  int error() const { return error_; }

 private:
  std::string take(int folder, const std::string& name, std::chrono::milliseconds most);

  FileHandle file_;
  std::string problem_;
  int error_ = 0;
};

/// Locks what is open as `handle`, and waits for `most` at most. Returns 0 or an errno;
/// EWOULDBLOCK: another process holds the lock.
int lock_handle(int handle, std::chrono::milliseconds most);

}  // namespace tandem
