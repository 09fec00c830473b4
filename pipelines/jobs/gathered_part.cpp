// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/gathered_part.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace tandem {
namespace {

namespace fs = std::filesystem;

// The size of the whole lines at the beginning of a file, and how many they are.
std::pair<uint64_t, uint64_t> whole_lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  uint64_t bytes = 0, lines = 0, at = 0;
  char chunk[65536];
  while (file.read(chunk, sizeof chunk), file.gcount() > 0) {
    for (std::streamsize i = 0; i < file.gcount(); ++i, ++at) {
      if (chunk[i] != '\n') continue;
      ++lines;
      bytes = at + 1;
    }
  }
  return {bytes, lines};
}

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error("'" + path + "' cannot be written: " + std::strerror(errno));
}

}  // namespace

GatheredPart::GatheredPart(std::string path, uint64_t first_frame)
    : path_(std::move(path)), first_frame_(first_frame), next_frame_(first_frame) {
  std::error_code error;
  if (!fs::exists(path_, error)) return;
  const auto [bytes, lines] = whole_lines(path_);
  if (fs::file_size(path_, error) != bytes) fs::resize_file(path_, bytes);
  next_frame_ += lines;
}

void GatheredPart::take(const ResultLines& lines) {
  if (lines.first_frame > next_frame_) return;
  const uint64_t known = next_frame_ - lines.first_frame;
  if (known >= lines.frames) return;
  std::size_t begin = 0;
  for (uint64_t i = 0; i < known; ++i) begin = lines.text.find('\n', begin) + 1;
  const std::string_view rest = std::string_view(lines.text).substr(begin);
  // Somebody else's entry would spoil the count of what is there.
  if (static_cast<uint64_t>(std::ranges::count(rest, '\n')) != lines.frames - known ||
      !rest.ends_with('\n'))
    return;
  unwritten_ += rest;
  next_frame_ = lines.first_frame + lines.frames;
}

void GatheredPart::flush() {
  if (unwritten_.empty()) return;
  const int file = open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (file < 0) fail(path_);
  std::string_view rest = unwritten_;
  while (!rest.empty()) {
    const ssize_t written = write(file, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  const bool kept = rest.empty() && fsync(file) == 0;
  const int problem = errno;
  close(file);
  errno = problem;
  if (!kept) fail(path_);
  unwritten_.clear();
}

}  // namespace tandem
