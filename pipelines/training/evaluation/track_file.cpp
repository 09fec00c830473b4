// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/track_file.h"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "files/json_text.h"
#include "files/parse_number.h"
#include "pipelines/training/dataset/mot_lines.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

TrackFile read_mot(const fs::path& file, const std::string& label) {
  TrackFile read;
  mot::read_entries(file, label, [&](const mot::Entry& entry, const Place& place) {
    if (entry.label != label) return;
    if (!(std::abs(entry.id) < 1e15) || entry.id != std::floor(entry.id))
      throw place.error("the id is not a whole number");
    if (!(entry.box.width > 0 && entry.box.height > 0)) throw place.error("the box has no area");
    read.tracks[entry.frame].push_back(
        {static_cast<int64_t>(entry.id),
         {entry.box.x, entry.box.y, entry.box.width, entry.box.height},
         entry.ignored});
  });
  return read;
}

int side_of(const fs::path& folder, const char* key) {
  return parse_number<int>(mot::sequence_info(folder, key)).value_or(0);
}

/// Reads the lines of a JSON file one by one.
class FrameLines {
 public:
  explicit FrameLines(std::string label) : label_(std::move(label)) {}

  void add(const json& line) {
    const int frame = line.at("frame").get<int>() + 1;
    read_.width = line.at("width").get<int>();
    read_.height = line.at("height").get<int>();
    auto& boxes = read_.tracks[frame];
    for (const json& one : line.at("detections")) {
      if (one.at("label").get<std::string>() != label_) continue;
      any_ = true;
      const auto id = one.find("object_id");
      if (id == one.end() || id->is_null()) continue;
      any_id_ = true;
      boxes.push_back({id->get<int64_t>(),
                       {one.at("x").get<double>(), one.at("y").get<double>(),
                        one.at("w").get<double>(), one.at("h").get<double>()}});
    }
  }

  TrackFile finish() {
    if (any_ && !any_id_)
      throw std::runtime_error(
          "has detections and no 'object_id': write it with `tandem run --track`, or with "
          "tandemtrack before tandemmeta2json");
    return std::move(read_);
  }

 private:
  const std::string label_;
  TrackFile read_;
  bool any_ = false, any_id_ = false;
};

TrackFile read_json_lines(std::istream& file, const std::string& label) {
  FrameLines lines(label);
  std::string text;
  for (int line = 1; std::getline(file, text); ++line) {
    if (text.empty()) continue;
    try {
      lines.add(parse_json(text));
    } catch (const std::exception& e) {
      throw std::runtime_error("line " + std::to_string(line) + ": " + e.what());
    }
  }
  return lines.finish();
}

}  // namespace

TrackFile read_true_tracks(const std::string& path, const std::string& label) {
  const fs::path folder(path);
  if (!fs::is_directory(folder)) return read_mot(folder, label);
  TrackFile read = read_mot(folder / "gt" / "gt.txt", label);
  read.width = side_of(folder, "imWidth");
  read.height = side_of(folder, "imHeight");
  return read;
}

TrackFile read_found_tracks(const std::string& path, const std::string& label) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("tracks '" + path + "' cannot be opened");
  if ((file >> std::ws).peek() != '{') return read_mot(path, label);
  try {
    return read_json_lines(file, label);
  } catch (const std::exception& e) {
    throw std::runtime_error("tracks '" + path + "' " + e.what());
  }
}

void scale_to(const TrackFile& truth, TrackFile& found) {
  if (truth.width <= 0 || truth.height <= 0 || found.width <= 0 || found.height <= 0) return;
  const double x = double(truth.width) / found.width, y = double(truth.height) / found.height;
  for (auto& [frame, boxes] : found.tracks) {
    for (IdentifiedBox& one : boxes)
      one.box = {one.box.x * x, one.box.y * y, one.box.width * x, one.box.height * y};
  }
}

}  // namespace tandem
