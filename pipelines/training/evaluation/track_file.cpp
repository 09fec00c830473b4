// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/track_file.h"

#include <algorithm>
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

constexpr int kMostFrames = 1 << 30;  // as in a text of MOTChallenge

// Measures of tracks have no meaning where one object is in two places.
bool has_id(const std::vector<IdentifiedBox>& boxes, int64_t id) {
  return std::ranges::any_of(boxes, [id](const IdentifiedBox& box) { return box.id == id; });
}

TrackFile read_mot(const fs::path& file, const std::string& label) {
  TrackFile read;
  mot::read_entries(file, label, [&](const mot::Entry& entry, const Place& place) {
    if (entry.label != label) return;
    if (!(std::abs(entry.id) < 1e15) || entry.id != std::floor(entry.id))
      throw place.error("the id is not a whole number");
    if (!(entry.box.width > 0 && entry.box.height > 0)) throw place.error("the box has no area");
    auto& boxes = read.tracks[entry.frame];
    const auto id = static_cast<int64_t>(entry.id);
    if (has_id(boxes, id))
      throw place.error("frame " + std::to_string(entry.frame) + " has the id " +
                        std::to_string(id) + " already");
    boxes.push_back(
        {id, {entry.box.x, entry.box.y, entry.box.width, entry.box.height}, entry.ignored});
  });
  return read;
}

int side_of(const fs::path& folder, const char* key) {
  return parse_number<int>(mot::sequence_info(folder, key)).value_or(0);
}

constexpr int64_t kMostSide = 1 << 20;         // pixels
constexpr int64_t kMostId = int64_t{1} << 53;  // all below are exact in JSON

int64_t whole_number(const json& object, const char* key, int64_t most) {
  const json& value = object.at(key);
  const bool is_whole = value.is_number_unsigned() && value.get<uint64_t>() <= uint64_t(most);
  if (!is_whole)
    throw std::runtime_error(std::string("'") + key + "' is " + value.dump().substr(0, 40) +
                             ", not a whole number from 0 to " + std::to_string(most));
  return value.get<int64_t>();
}

/// Reads the lines of a JSON file one by one.
class FrameLines {
 public:
  explicit FrameLines(std::string label) : label_(std::move(label)) {}

  void add(const json& line) {
    const int frame = static_cast<int>(whole_number(line, "frame", kMostFrames)) + 1;
    read_.width = static_cast<int>(whole_number(line, "width", kMostSide));
    read_.height = static_cast<int>(whole_number(line, "height", kMostSide));
    auto& boxes = read_.tracks[frame];
    for (const json& one : line.at("detections")) {
      if (one.at("label").get<std::string>() != label_) continue;
      any_ = true;
      const auto id = one.find("object_id");
      if (id == one.end() || id->is_null()) continue;
      any_id_ = true;
      const int64_t number = whole_number(one, "object_id", kMostId);
      if (has_id(boxes, number))
        throw std::runtime_error("frame " + std::to_string(frame - 1) + " has the object_id " +
                                 std::to_string(number) + " already");
      boxes.push_back({number,
                       {one.at("x").get<double>(), one.at("y").get<double>(),
                        one.at("w").get<double>(), one.at("h").get<double>()}});
      if (!(boxes.back().box.width > 0 && boxes.back().box.height > 0))
        throw std::runtime_error("the box has no area");
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
    } catch (const json::exception& e) {  // "[json.exception.out_of_range.403] key 'x' not found"
      const std::string what = e.what();
      throw std::runtime_error("line " + std::to_string(line) + ": " +
                               what.substr(what.find("] ") + 2));
    } catch (const std::exception& e) {
      throw std::runtime_error("line " + std::to_string(line) + ": " + e.what());
    }
  }
  return lines.finish();
}

}  // namespace

TrackFile read_true_tracks(const std::string& path, const std::string& label) {
  const fs::path folder(path);
  if (!fs::is_directory(folder)) {
    std::ifstream file(path);
    if ((file >> std::ws).peek() == '{')
      throw std::runtime_error("truth '" + path +
                               "' is JSON: the truth is a folder or a text of MOTChallenge");
    return read_mot(folder, label);
  }
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
