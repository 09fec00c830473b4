// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <cstring>

namespace tandem {

FolderLock::FolderLock(const std::string& folder, std::chrono::milliseconds most)
    : folder_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!folder_) {
    problem_ = std::string("cannot be locked: ") + std::strerror(errno);
    return;
  }
  int error = lock_handle(folder_.number(), most);
  if (error != 0 && error != EWOULDBLOCK) {  // NFS wants a handle that writes, as no folder has
    file_ = std::make_unique<FileLock>(folder_.number(), ".lock", most);
    error = file_->error();
    problem_ = file_->problem();
  } else if (error == EWOULDBLOCK) {
    problem_ = "cannot be locked: another process holds it";
  }
  taken_ = error == EWOULDBLOCK;
  impossible_ = error == ENOSYS || error == EOPNOTSUPP || error == ENOLCK;
}

// A process that was forked meanwhile has the same lock: closing alone would not end it.
FolderLock::~FolderLock() {
  if (folder_) flock(folder_.number(), LOCK_UN);
}

}  // namespace tandem
