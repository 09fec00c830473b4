// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <memory>
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

/// Keeps other processes from a folder for as long as it lives. The kernel gives it back when the
/// process dies, and not when it is stopped.
class FolderLock {
 public:
  /// Locks a folder that exists. Waits for `most` at most. Where the file system locks files alone,
  /// as NFS does, the lock is that of ".lock" in the folder.
  FolderLock(const std::string& folder, std::chrono::milliseconds most);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Empty when it is held: "cannot be locked: another process holds it".
  const std::string& problem() const { return problem_; }
  /// Another process holds it.
  bool is_taken() const { return taken_; }
  /// Nobody can have it: the file system has no locks.
  bool is_impossible() const { return impossible_; }

 private:
  FileHandle folder_;
  std::unique_ptr<FileLock> file_;
  std::string problem_;
  bool taken_ = false, impossible_ = false;
};

}  // namespace tandem
