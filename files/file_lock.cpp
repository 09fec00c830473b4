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

}  // namespace tandem
