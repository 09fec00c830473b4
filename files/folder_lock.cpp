// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace tandem {

FolderLock::FolderLock(const std::string& folder, std::chrono::milliseconds most) {
  folder_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder_ < 0) {
    problem_ = std::string("cannot be locked: ") + std::strerror(errno);
    return;
  }
  constexpr std::chrono::milliseconds kPause{10};
  const auto end = std::chrono::steady_clock::now() + most;
  while (flock(folder_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) {  // NFS wants a handle that writes, which no folder has
      file_ = std::make_unique<FileLock>(folder + "/.lock", most);
      problem_ = file_->problem();
      return;
    }
    if (std::chrono::steady_clock::now() >= end) {
      problem_ = "cannot be locked: another process holds it";
      return;
    }
    std::this_thread::sleep_for(kPause);
  }
}

// A process that was forked meanwhile has the same lock: closing alone would not end it.
FolderLock::~FolderLock() {
  if (folder_ < 0) return;
  flock(folder_, LOCK_UN);
  close(folder_);
}

}  // namespace tandem
