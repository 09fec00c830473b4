// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/replace_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <random>

namespace tandem {
namespace {

constexpr int kMostNames = 100;  // that are taken, one after the other

// Makes a file of a new name.
FileHandle make_unfinished(int folder, std::string& name) {
  constexpr int kFlags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;
  for (int i = 0;; ++i) {
    name = unfinished_name();
    FileHandle file(openat(folder, name.c_str(), kFlags, S_IRUSR | S_IWUSR));
    if (file || errno != EEXIST || i == kMostNames) return file;
  }
}

// The name of a file is in its folder, which has a place of its own on the disk. What fails here is
// not told: the file is there.
void sync_folder(int folder) {
  const FileHandle opened(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened) (void)fsync(opened.number());
}

std::string replace(int folder, const std::string& name, std::string_view bytes, Durable durable) {
  const auto problem = [] { return std::string("cannot be written: ") + std::strerror(errno); };
  std::string unfinished;
  FileHandle file = make_unfinished(folder, unfinished);
  if (!file) return problem();
  const bool sync = durable == Durable::kYes;
  bool done = write_all(file.number(), bytes) && (!sync || fsync(file.number()) == 0);
  std::string result = done ? std::string() : problem();
  if (close(file.release()) != 0 && done) {
    done = false;
    result = problem();
  }
  if (done && renameat(folder, unfinished.c_str(), folder, name.c_str()) != 0) {
    done = false;
    result = problem();
  }
  if (!done) unlinkat(folder, unfinished.c_str(), 0);
  if (done && sync) sync_folder(folder);
  return result;
}

}  // namespace

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

std::string unfinished_name() {
  std::random_device random;
  const uint64_t number = static_cast<uint64_t>(random()) << 32 | random();
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016" PRIx64, number);
  return std::string(kUnfinishedPrefix) + digits;
}

std::string replace_file(const std::string& path, std::string_view bytes, Durable durable) {
  const std::filesystem::path whole(path);
  const std::string parent = whole.has_parent_path() ? whole.parent_path().string() : ".";
  const FileHandle folder(open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) return std::string("cannot be written: ") + std::strerror(errno);
  return replace(folder.number(), whole.filename(), bytes, durable);
}

std::string replace_file(const OwnFolder& folder, const std::string& name, std::string_view bytes,
                         Durable durable) {
  return replace(folder.handle(), name, bytes, durable);
}

}  // namespace tandem
