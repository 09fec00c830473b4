// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/gather/gathered_video.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "files/file_handle.h"
#include "files/json_text.h"
#include "files/regular_file.h"
#include "files/replace_file.h"
#include "pipelines/tandem/pipeline/glib_owned.h"

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

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr char kWritten[] = "written";      // holds the name of the queue
constexpr std::size_t kMostFileName = 200;  // bytes; file systems take 255

// Frames of the part, as far as anybody knows.
std::optional<uint64_t> frames_of(const Part& part, const std::string& id,
                                  const std::map<std::string, JobRecord>& done) {
  const auto record = done.find(id);
  if (record == done.end()) return std::nullopt;
  return part.frames.value_or(record->second.frames);
}

std::string parts_folder_name(const Video& video) {
  return std::to_string(video.number) + "-" + video.identity;
}

bool on_disk(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_there = file >= 0 && fsync(file) == 0;
  if (file >= 0) close(file);
  return is_there;
}

bool same_content(const std::string& path, const std::string& other) {
  std::ifstream a(path, std::ios::binary), b(other, std::ios::binary);
  return std::equal(std::istreambuf_iterator<char>(a), {}, std::istreambuf_iterator<char>(b), {});
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

std::string results_file_name(const Video& video) {
  std::string name = video.analysis.uri.substr(video.analysis.uri.rfind('/') + 1);
  if (const GlibString decoded(g_uri_unescape_string(name.c_str(), "/")); decoded)
    name = decoded.get();
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == '/' || c == '\x7f') c = '_';
  }
  return std::to_string(video.number) + "-" + name.substr(0, kMostFileName) + ".jsonl";
}

GatheredVideo::GatheredVideo(Video video, const std::string& folder)
    : video_(std::move(video)),
      jobs_(jobs_of(video_)),
      folder_(folder),
      parts_folder_(folder + "/.gather/" + parts_folder_name(video_)) {
  fs::create_directories(parts_folder_);
  for (const Part& part : video_.parts)
    parts_.emplace_back(parts_folder_ + "/" + std::to_string(parts_.size()), part.first_frame);
}

void GatheredVideo::flush() {
  for (GatheredPart& part : parts_) part.flush();
}

uint64_t GatheredVideo::frames() const {
  uint64_t frames = 0;
  for (const GatheredPart& part : parts_) frames += part.frames();
  return frames;
}

bool GatheredVideo::complete(std::size_t part, const std::map<std::string, JobRecord>& done) const {
  const auto frames = frames_of(video_.parts[part], jobs_[part].id, done);
  return frames && *frames > 0 && parts_[part].frames() == *frames && parts_[part].damage().empty();
}

bool GatheredVideo::complete(const std::map<std::string, JobRecord>& done) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    if (!complete(i, done)) return false;
  }
  return true;
}

std::string GatheredVideo::damage(std::size_t part,
                                  const std::map<std::string, JobRecord>& done) const {
  const GatheredPart& here = parts_[part];
  if (!here.damage().empty()) return here.damage();
  const auto frames = frames_of(video_.parts[part], jobs_[part].id, done);
  if (!frames || (here.frames() == *frames && *frames > 0)) return {};
  return std::to_string(here.frames()) + " lines have come of " + std::to_string(*frames) +
         " frames";
}

// False: its file is not what was written.
bool GatheredVideo::copy_part(GatheredPart& part, std::ostream& out, uint64_t& id) const {
  std::ifstream in(part.path(), std::ios::binary);
  uint64_t frame = part.first_frame();
  const uint64_t end = frame + part.frames();
  try {
    for (std::string line; std::getline(in, line); ++frame) {
      if (frame == end) throw std::runtime_error("it has more lines than frames");
      Json json = read_result_line(line, frame);
      for (Json& detection : json.at("detections")) detection.at("id") = ++id;
      out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    }
    if (frame != end) throw std::runtime_error("it has fewer lines than frames");
    return true;
  } catch (const std::runtime_error& e) {
    part.set_damage(e.what());
    return false;
  }
}

std::string GatheredVideo::write(const std::string& queue) {
  std::string path = folder_ + "/" + results_file_name(video_);
  const std::string unfinished = parts_folder_ + "/" + std::string(kUnfinishedPrefix) + "all";
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  uint64_t id = 0;
  for (GatheredPart& part : parts_) {
    if (!copy_part(part, out, id)) return {};
  }
  if (!out.flush() || !on_disk(unfinished))
    throw std::runtime_error("'" + unfinished + "' cannot be written");
  // An earlier gather may have been interrupted behind this; anything else is not ours to replace.
  if (fs::exists(path) && !same_content(path, unfinished))
    throw OccupiedPlace("'" + path + "' exists already: move it away");
  fs::rename(unfinished, path);
  std::ofstream(parts_folder_ + "/" + kWritten) << queue;
  return path;
}

void GatheredVideo::remove_parts() const {
  std::error_code ignored;
  fs::remove_all(parts_folder_, ignored);
  fs::remove(fs::path(parts_folder_).parent_path(), ignored);  // the last one goes
}

void remove_gathered_parts(const std::string& folder, const std::string& queue,
                           const std::vector<Video>& videos) {
  std::set<std::string> kept;
  for (const Video& video : videos) kept.insert(parts_folder_name(video));
  std::error_code ignored;
  std::vector<fs::path> gone;
  for (const auto& entry : fs::directory_iterator(folder + "/.gather", ignored)) {
    std::string of;
    std::getline(std::ifstream(entry.path() / kWritten), of);
    if (of == queue && !kept.contains(entry.path().filename())) gone.push_back(entry.path());
  }
  for (const fs::path& one : gone) fs::remove_all(one, ignored);
  fs::remove(folder + "/.gather", ignored);  // if it is empty
}

}  // namespace tandem
