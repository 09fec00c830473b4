// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace tandem {
namespace {

std::string too_long(std::size_t most_bytes) {
  return "is longer than " + std::to_string(most_bytes) + " bytes";
}

// The problem with a file's owner and rights; empty: there is none.
std::string problem_of(const struct stat& status, Owner owner) {
  if (owner == Owner::kAnybody) return {};
  if (status.st_uid != geteuid()) return "belongs to another user";
  if (owner == Owner::kThisUser) return {};
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) return "can be written by others";
  return status.st_nlink == 1 ? "" : "has a second name (a hard link)";
}

struct Opened {
  FileHandle file;
  struct stat status = {};
  std::string problem;
};

Opened open_regular(int folder, const std::string& path, Links links) {
  // O_NONBLOCK: opening a FIFO would wait for somebody who writes into it.
  const int flags =
      O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (links == Links::kRefuse ? O_NOFOLLOW : 0);
  FileHandle file(openat(folder, path.c_str(), flags));
  if (!file) {
    // A socket gives ENXIO, a link that is not followed ELOOP.
    if (errno == ENXIO || (errno == ELOOP && links == Links::kRefuse))
      return {{}, {}, kNotRegularFile};
    return {{}, {}, std::string("cannot be opened: ") + std::strerror(errno)};
  }
  struct stat status;
  if (fstat(file.number(), &status) != 0)
    return {{}, {}, std::string("cannot be read: ") + std::strerror(errno)};
  if (!S_ISREG(status.st_mode)) return {{}, {}, kNotRegularFile};
  return {std::move(file), status, {}};
}

RegularFile read(int folder, const std::string& path, std::size_t most_bytes, Links links,
                 Owner owner) {
  const auto [file, status, unusable] = open_regular(folder, path, links);
  if (!unusable.empty()) return {{}, unusable};
  if (std::string problem = problem_of(status, owner); !problem.empty()) return {{}, problem};
  if (static_cast<std::size_t>(status.st_size) > most_bytes) return {{}, too_long(most_bytes)};

  // The size is a hint alone: the file may grow meanwhile, and those of /proc say 0.
  constexpr std::size_t kLeastPiece = 4096;
  RegularFile result;
  std::size_t size = 0;
  for (;;) {
    if (size == result.bytes.size()) {
      const std::size_t more = std::max(kLeastPiece, static_cast<std::size_t>(status.st_size) + 1);
      result.bytes.resize(size == 0 ? more : 2 * size);
    }
    const ssize_t got =
        ::read(file.number(), result.bytes.data() + size, result.bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {{}, std::string("cannot be read: ") + std::strerror(errno)};
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > most_bytes) return {{}, too_long(most_bytes)};
  }
  result.bytes.resize(size);
  return result;
}

}  // namespace

OpenedFile open_regular_file(const std::string& path, Links links) {
  Opened opened = open_regular(AT_FDCWD, path, links);
  return {std::move(opened.file), std::move(opened.problem)};
}

RegularFile read_regular_file(const std::string& path, std::size_t most_bytes, Links links,
                              Owner owner) {
  return read(AT_FDCWD, path, most_bytes, links, owner);
}

RegularFile read_regular_file(const OwnFolder& folder, const std::string& name,
                              std::size_t most_bytes, Owner owner) {
  return read(folder.handle(), name, most_bytes, Links::kRefuse, owner);
}

}  // namespace tandem
