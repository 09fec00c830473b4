// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

namespace tandem {

FileLock::FileLock(const OwnFolder& folder, const std::string& name,
                   std::chrono::milliseconds most) {
  const std::string why = take(folder, name, most);
  if (!why.empty()) problem_ = "cannot be locked: " + why;
}

std::string FileLock::take(const OwnFolder& folder, const std::string& name,
                           std::chrono::milliseconds most) {
  // O_NONBLOCK: opening a FIFO would wait.
  constexpr int kFlags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
  file_ = openat(folder.handle(), name.c_str(), kFlags, S_IRUSR | S_IWUSR);
  struct stat status;
  if (file_ < 0 || fstat(file_, &status) != 0) return std::strerror(errno);
  if (!S_ISREG(status.st_mode)) return "not a regular file";
  // flock() could wait for ever, for a process that was stopped.
  constexpr std::chrono::milliseconds kPause{1};
  const auto end = std::chrono::steady_clock::now() + most;
  while (flock(file_, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EINTR) continue;
    if (errno != EWOULDBLOCK) return std::strerror(errno);
    if (std::chrono::steady_clock::now() >= end) return "another process holds it";
    std::this_thread::sleep_for(kPause);
  }
  return {};
}

// A process that was forked meanwhile has the same lock: closing alone would not end it.
FileLock::~FileLock() {
  if (file_ < 0) return;
  flock(file_, LOCK_UN);
  close(file_);
}

}  // namespace tandem
