// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace tandem {

int lock_handle(int handle, std::chrono::milliseconds most) {
  // flock() could wait for ever, for a process that was stopped.
  constexpr std::chrono::milliseconds kPause{1};
  const auto end = std::chrono::steady_clock::now() + most;
  while (flock(handle, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK || std::chrono::steady_clock::now() >= end) return errno;
    std::this_thread::sleep_for(kPause);
  }
  return 0;
}

FileLock::FileLock(int folder, const std::string& name, std::chrono::milliseconds most) {
  const std::string why = take(folder, name, most);
  if (!why.empty()) problem_ = "cannot be locked: " + why;
}

std::string FileLock::take(int folder, const std::string& name, std::chrono::milliseconds most) {
  // O_NONBLOCK: opening a FIFO would wait.
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  file_ = FileHandle(openat(folder, name.c_str(), kFlags, S_IRUSR | S_IWUSR));
  struct stat status;
  const bool opened = file_ && fstat(file_.number(), &status) == 0;
  if (opened && !S_ISREG(status.st_mode)) return "not a regular file";
  error_ = opened ? lock_handle(file_.number(), most) : errno;
  if (error_ == 0) return {};
  return error_ == EWOULDBLOCK ? "another process holds it" : std::strerror(error_);
}

// A process that was forked meanwhile has the same lock: closing alone would not end it.
FileLock::~FileLock() {
  if (file_) flock(file_.number(), LOCK_UN);
}

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
