// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

namespace tandem {

FolderLock::FolderLock(const std::string& folder, std::chrono::milliseconds most)
    : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  const int error = folder_ ? lock_handle(folder_.number(), most) : errno;
  if (error == 0) return;
  if (!folder_ || error == EWOULDBLOCK) {
    problem_ = std::string("cannot be locked: ") +
               (folder_ ? "another process holds it" : std::strerror(error));
    return;
  }
  // NFS wants a handle that writes, which no folder has.
  file_ = std::make_unique<FileLock>(folder_.number(), ".lock", most);
  problem_ = file_->problem();
}

// A process that was forked meanwhile has the same lock: closing alone would not end it.
FolderLock::~FolderLock() {
  if (folder_) flock(folder_.number(), LOCK_UN);
}

}  // namespace tandem
