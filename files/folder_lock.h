// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "files/file_lock.h"

namespace tandem {

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
