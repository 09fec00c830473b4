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
  /// Of a folder that is there. Waits for `most` at most. Where the file system locks files alone,
  /// as NFS does, the lock is that of ".lock" in the folder.
  FolderLock(const std::string& folder, std::chrono::milliseconds most);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

  /// Empty when it is held: "cannot be locked: another process holds it".
  const std::string& problem() const { return problem_; }

 private:
  FileHandle folder_;
  std::unique_ptr<FileLock> file_;
  std::string problem_;
};

}  // namespace tandem
