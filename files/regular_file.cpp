// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace tandem {
namespace {

constexpr const char* kNotRegular = "is not a regular file";

std::string too_long(std::size_t most_bytes) {
  return "is longer than " + std::to_string(most_bytes) + " bytes";
}

}  // namespace

OpenFile::~OpenFile() {
  if (number_ >= 0) close(number_);
}

OpenedFile open_regular_file(const std::string& path, Links links) {
  // O_NONBLOCK: opening a FIFO would wait for somebody who writes into it.
  const int flags =
      O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK | (links == Links::kRefuse ? O_NOFOLLOW : 0);
  OpenFile file(open(path.c_str(), flags));
  if (file.number() < 0) {
    // A socket gives ENXIO, a link that is not followed ELOOP.
    if (errno == ENXIO || (errno == ELOOP && links == Links::kRefuse)) return {{}, kNotRegular};
    return {{}, std::string("cannot be opened: ") + std::strerror(errno)};
  }
  struct stat status;
  if (fstat(file.number(), &status) != 0)
    return {{}, std::string("cannot be read: ") + std::strerror(errno)};
  if (!S_ISREG(status.st_mode)) return {{}, kNotRegular};
  return {std::move(file), {}};
}

RegularFile read_regular_file(const std::string& path, std::size_t most_bytes, Links links,
                              Owner owner) {
  const auto [file, problem] = open_regular_file(path, links);
  if (!problem.empty()) return {{}, problem};
  struct stat status;
  if (fstat(file.number(), &status) != 0)
    return {{}, std::string("cannot be read: ") + std::strerror(errno)};
  if (owner == Owner::kThisUser && status.st_uid != geteuid())
    return {{}, "belongs to another user"};
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
    const ssize_t got = read(file.number(), result.bytes.data() + size, result.bytes.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return {{}, std::string("cannot be read: ") + std::strerror(errno)};
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
    if (size > most_bytes) return {{}, too_long(most_bytes)};
  }
  result.bytes.resize(size);
  return result;
}

}  // namespace tandem
