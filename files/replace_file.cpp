// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/replace_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace tandem {
namespace {

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// The name of a file is in its folder, which has a place of its own on the disk. What fails here is
// not told: the file is there.
void sync_folder(const std::filesystem::path& folder) {
  const int opened = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  (void)fsync(opened);
  close(opened);
}

}  // namespace

std::string replace_file(const std::string& path, std::string_view bytes, Durable durable) {
  const auto problem = [] { return std::string("cannot be written: ") + std::strerror(errno); };
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::string unfinished = folder / (std::string(kUnfinishedPrefix) + "XXXXXX");
  const int file = mkostemp(unfinished.data(), O_CLOEXEC);
  if (file < 0) return problem();
  const bool sync = durable == Durable::kYes;
  bool done = write_all(file, bytes) && (!sync || fsync(file) == 0);
  std::string result = done ? std::string() : problem();
  if (close(file) != 0 && done) {
    done = false;
    result = problem();
  }
  if (done && std::rename(unfinished.c_str(), path.c_str()) != 0) {
    done = false;
    result = problem();
  }
  if (!done) unlink(unfinished.c_str());
  if (done && sync) sync_folder(folder);
  return result;
}

}  // namespace tandem
