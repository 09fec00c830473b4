// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/jobs/gathered_video.h"

#include <fcntl.h>
#include <glib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "files/replace_file.h"
#include "pipelines/tandem/text.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostName = 200;  // bytes; file systems take 255

// Frames of the part, as far as anybody knows.
std::optional<uint64_t> frames_of(const Part& part, const std::string& id,
                                  const std::map<std::string, JobRecord>& done) {
  const auto record = done.find(id);
  if (record == done.end()) return std::nullopt;
  return part.frames.value_or(record->second.frames);
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

std::string results_file_name(const Video& video) {
  std::string name = video.analysis.uri.substr(video.analysis.uri.rfind('/') + 1);
  if (const Text decoded(g_uri_unescape_string(name.c_str(), "/")); decoded) name = decoded.get();
  for (char& c : name) {
    if (static_cast<unsigned char>(c) < ' ' || c == '/' || c == '\x7f') c = '_';
  }
  return std::to_string(video.number) + "-" + name.substr(0, kMostName) + ".jsonl";
}

GatheredVideo::GatheredVideo(Video video, const std::string& folder)
    : video_(std::move(video)),
      folder_(folder),
      parts_folder_(folder + "/.gather/" + std::to_string(video_.number) + "-" +
                    std::to_string(video_.created_s)) {
  fs::create_directories(parts_folder_);
  for (const Part& part : video_.parts)
    parts_.emplace_back(parts_folder_ + "/" + std::to_string(parts_.size()), part.first_frame);
}

void GatheredVideo::take(std::size_t part, const ResultLines& lines) {
  if (part < parts_.size()) parts_[part].take(lines);
}

void GatheredVideo::flush() {
  for (GatheredPart& part : parts_) part.flush();
}

uint64_t GatheredVideo::frames() const {
  uint64_t frames = 0;
  for (const GatheredPart& part : parts_) frames += part.frames();
  return frames;
}

bool GatheredVideo::complete(const std::map<std::string, JobRecord>& done) const {
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto frames = frames_of(video_.parts[i], job_id(video_.number, i), done);
    if (!frames || parts_[i].frames() != *frames) return false;
  }
  return true;
}

std::vector<Job> GatheredVideo::lost(const std::map<std::string, JobRecord>& done) const {
  std::vector<Job> lost;
  const std::vector<Job> jobs = jobs_of(video_);
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    const auto frames = frames_of(video_.parts[i], jobs[i].id, done);
    if (frames && parts_[i].frames() < *frames) lost.push_back(jobs[i]);
  }
  return lost;
}

std::string GatheredVideo::write() const {
  const std::string path = folder_ + "/" + results_file_name(video_);
  const std::string unfinished = parts_folder_ + "/" + std::string(kUnfinishedPrefix) + "all";
  std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
  uint64_t frame = 0, id = 0;
  for (const GatheredPart& part : parts_) {
    std::ifstream in(part.path(), std::ios::binary);
    for (std::string line; std::getline(in, line); ++frame) {
      Json json = Json::parse(line);
      if (json.at("frame") != frame)
        throw std::runtime_error("'" + part.path() + "' has another frame in the place of frame " +
                                 std::to_string(frame));
      for (Json& detection : json.at("detections")) detection.at("id") = ++id;
      out << json.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
    }
  }
  if (!out.flush() || !on_disk(unfinished))
    throw std::runtime_error("'" + unfinished + "' cannot be written");
  // An earlier gather may have been interrupted behind this; anything else is not ours to replace.
  if (fs::exists(path) && !same_content(path, unfinished))
    throw std::runtime_error("'" + path + "' is there already: move it away");
  fs::rename(unfinished, path);
  return path;
}

void GatheredVideo::remove_parts() const {
  std::error_code ignored;
  fs::remove_all(parts_folder_, ignored);
  fs::remove(fs::path(parts_folder_).parent_path(), ignored);  // the last one goes
}

}  // namespace tandem
