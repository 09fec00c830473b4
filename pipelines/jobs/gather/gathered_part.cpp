// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/gather/gathered_part.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "files/file_handle.h"
#include "files/json_text.h"
#include "files/regular_file.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// As much as a worker keeps of all its lines: LineQueue::kMostBytes.
constexpr std::size_t kMostLineBytes = 16 << 20;

nlohmann::ordered_json read_bounded(const std::string& line, uint64_t frame) {
  if (line.size() > kMostLineBytes)
    throw std::runtime_error("is longer than " + std::to_string(kMostLineBytes) + " bytes");
  nlohmann::ordered_json json = parse_ordered_json(line);
  if (!json.is_object()) throw std::runtime_error("is not an object");
  const auto number = json.find("frame");
  if (number == json.end() || !number->is_number_unsigned() || number->get<uint64_t>() != frame)
    throw std::runtime_error("belongs to another frame");
  const auto detections = json.find("detections");
  const auto has_id = [](const auto& one) { return one.is_object() && one.contains("id"); };
  if (detections == json.end() || !detections->is_array() ||
      !std::ranges::all_of(*detections, has_id))
    throw std::runtime_error("has no list of detections with ids");
  return json;
}

[[noreturn]] void fail_part(const std::string& path, const char* what) {
  throw std::runtime_error("'" + path + "' cannot be " + what + ": " + std::strerror(errno));
}

// The size of the whole lines at the beginning of a file, and how many they are.
std::pair<uint64_t, uint64_t> whole_lines(const std::string& path) {
  const OpenedFile opened = open_regular_file(path, Links::kRefuse);
  if (!opened.problem.empty()) throw std::runtime_error("'" + path + "' " + opened.problem);
  uint64_t bytes = 0, lines = 0, at = 0;
  char chunk[65536];
  for (;;) {
    const ssize_t got = read(opened.file.number(), chunk, sizeof chunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail_part(path, "read");
    if (got == 0) return {bytes, lines};
    for (ssize_t i = 0; i < got; ++i, ++at) {
      if (chunk[i] != '\n') continue;
      ++lines;
      bytes = at + 1;
    }
  }
}

}  // namespace

nlohmann::ordered_json read_result_line(const std::string& line, uint64_t frame) try {
  return read_bounded(line, frame);
} catch (const std::runtime_error& e) {
  throw std::runtime_error("the line of frame " + std::to_string(frame) + " " + e.what());
}

GatheredPart::GatheredPart(std::string path, uint64_t first_frame)
    : path_(std::move(path)), first_frame_(first_frame), next_frame_(first_frame) {
  std::error_code error;
  if (!fs::exists(fs::symlink_status(path_, error))) return;
  const auto [bytes, lines] = whole_lines(path_);
  if (fs::file_size(path_, error) != bytes) fs::resize_file(path_, bytes);
  bytes_ = bytes;
  next_frame_ += lines;
}

std::string GatheredPart::take(const ResultLines& lines) {
  if (!damage_.empty() || lines.first_frame > next_frame_) return {};
  const uint64_t known = next_frame_ - lines.first_frame;
  if (known >= lines.frames) return {};
  if (static_cast<uint64_t>(std::ranges::count(lines.text, '\n')) != lines.frames ||
      !lines.text.ends_with('\n'))
    return "does not have the number of lines that it states";
  std::size_t begin = 0, first_new = 0;
  for (uint64_t i = 0; i < lines.frames; ++i) {
    if (i == known) first_new = begin;
    const std::size_t end = lines.text.find('\n', begin);
    try {
      if (i >= known)
        read_result_line(lines.text.substr(begin, end - begin), lines.first_frame + i);
    } catch (const std::runtime_error& e) {
      return e.what();
    }
    begin = end + 1;
  }
  unwritten_ += std::string_view(lines.text).substr(first_new);
  next_frame_ = lines.first_frame + lines.frames;
  return {};
}

void GatheredPart::flush() {
  if (unwritten_.empty()) return;
  constexpr int kFlags = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  const FileHandle file(open(path_.c_str(), kFlags, 0666));
  struct stat status;
  if (!file || fstat(file.number(), &status) != 0) fail_part(path_, "written");
  if (!S_ISREG(status.st_mode) || static_cast<uint64_t>(status.st_size) != bytes_) {
    damage_ = "another program changed its file";
    return;
  }
  std::string_view rest = unwritten_;
  while (!rest.empty()) {
    const ssize_t written = write(file.number(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail_part(path_, "written");
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  if (fsync(file.number()) != 0) fail_part(path_, "written");
  bytes_ += unwritten_.size();
  unwritten_.clear();
}

void GatheredPart::drop() {
  if (unlink(path_.c_str()) != 0 && errno != ENOENT) fail_part(path_, "removed");
  next_frame_ = first_frame_;
  bytes_ = 0;
  unwritten_.clear();
  damage_.clear();
}

}  // namespace tandem
