// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/evaluation/track_file.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <utility>

#include "files/json_text.h"
#include "files/parse_number.h"
#include "gst/track/assignment.h"
#include "pipelines/training/dataset/mot_lines.h"

namespace tandem {
namespace {

using Boxes = std::vector<IdentifiedBox>;

const Boxes& boxes_of(const Tracks& tracks, int frame) {
  static const Boxes none;
  const auto at = tracks.find(frame);
  return at == tracks.end() ? none : at->second;
}

// As many pairs as possible, then the greatest sum of overlaps: that sum is below kPair.
std::vector<int> pair_by_overlap(const Boxes& truth, const Boxes& found, double min_overlap) {
  constexpr double kPair = 1e6;
  std::vector<PossiblePair> candidates;
  for (std::size_t t = 0; t < truth.size(); ++t) {
    for (std::size_t f = 0; f < found.size(); ++f) {
      const double overlap = iou(truth[t].box, found[f].box);
      if (overlap >= min_overlap)
        candidates.push_back({static_cast<int>(t), static_cast<int>(f), kPair + overlap});
    }
  }
  return assign(static_cast<int>(truth.size()), static_cast<int>(found.size()), candidates);
}

// Without ignored boxes of the truth, and what was paired with them.
std::pair<Boxes, Boxes> counted(const Boxes& truth, const Boxes& found, double min_overlap) {
  const std::vector<int> found_of = pair_by_overlap(truth, found, min_overlap);
  std::vector<bool> drops(found.size());
  std::pair<Boxes, Boxes> rest;
  for (std::size_t t = 0; t < truth.size(); ++t) {
    if (!truth[t].ignored)
      rest.first.push_back(truth[t]);
    else if (found_of[t] >= 0)
      drops[static_cast<std::size_t>(found_of[t])] = true;
  }
  for (std::size_t f = 0; f < found.size(); ++f)
    if (!drops[f]) rest.second.push_back(found[f]);
  return rest;
}

/// The frames of a video one after the other.
class Matching {
 public:
  explicit Matching(double min_overlap) : min_overlap_(min_overlap) {}

  void add(const Boxes& truth, const Boxes& found) {
    result_.boxes += truth.size();
    result_.found += found.size();
    for (const IdentifiedBox& t : truth) ++boxes_of_object_[t.id];
    for (const IdentifiedBox& f : found) ++boxes_of_track_[f.id];
    for (const IdentifiedBox& t : truth)
      for (const IdentifiedBox& f : found)
        if (iou(t.box, f.box) >= min_overlap_) ++together_[{t.id, f.id}];
    Boxes new_truth, new_found = found;
    for (const IdentifiedBox& t : truth) {
      const auto before = track_of_.find(t.id);
      const auto same = std::find_if(new_found.begin(), new_found.end(), [&](auto& f) {
        return before != track_of_.end() && before->second == f.id &&
               iou(t.box, f.box) >= min_overlap_;
      });
      if (same == new_found.end()) {
        new_truth.push_back(t);
        continue;
      }
      match(t, *same);
      new_found.erase(same);
    }
    const std::vector<int> found_of = pair_by_overlap(new_truth, new_found, min_overlap_);
    for (std::size_t t = 0; t < new_truth.size(); ++t)
      if (found_of[t] >= 0) match(new_truth[t], new_found[static_cast<std::size_t>(found_of[t])]);
  }

  TrackEvaluation finish() {
    result_.objects = boxes_of_object_.size();
    result_.tracks = boxes_of_track_.size();
    result_.id_matches = best_identities();
    return result_;
  }

 private:
  void match(const IdentifiedBox& truth, const IdentifiedBox& found) {
    ++result_.matches;
    result_.overlap += iou(truth.box, found.box);
    const auto [last, is_first] = track_of_.try_emplace(truth.id, found.id);
    if (!is_first && last->second != found.id) ++result_.switches;
    last->second = found.id;
  }

  // Objects and tracks are paired so that most frames match. A box more or less that matches
  // nothing costs the same wherever it is, so that fewest mistakes are most matches.
  std::size_t best_identities() const {
    std::map<int64_t, int> row_of, column_of;
    for (const auto& [id, count] : boxes_of_object_)
      row_of.emplace(id, static_cast<int>(row_of.size()));
    for (const auto& [id, count] : boxes_of_track_)
      column_of.emplace(id, static_cast<int>(column_of.size()));
    std::vector<PossiblePair> candidates;
    std::map<std::pair<int, int>, std::size_t> frames;
    for (const auto& [ids, count] : together_) {
      const std::pair<int, int> at{row_of.at(ids.first), column_of.at(ids.second)};
      candidates.push_back({at.first, at.second, double(count)});
      frames[at] = count;
    }
    const std::vector<int> pairs =
        assign(static_cast<int>(row_of.size()), static_cast<int>(column_of.size()), candidates);
    std::size_t sum = 0;
    for (std::size_t row = 0; row < pairs.size(); ++row)
      if (pairs[row] >= 0) sum += frames.at({static_cast<int>(row), pairs[row]});
    return sum;
  }

  const double min_overlap_;
  TrackEvaluation result_;
  std::map<int64_t, int64_t> track_of_;  // of each object, where it was matched last
  std::map<int64_t, std::size_t> boxes_of_object_, boxes_of_track_;
  std::map<std::pair<int64_t, int64_t>, std::size_t> together_;
};

double part(double some, std::size_t all) { return all > 0 ? some / double(all) : 0; }

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

double TrackEvaluation::mota() const {
  return boxes > 0 ? 1 - part(double(misses() + false_positives() + switches), boxes) : 0;
}
double TrackEvaluation::motp() const { return part(overlap, matches); }
double TrackEvaluation::id_precision() const { return part(double(id_matches), found); }
double TrackEvaluation::id_recall() const { return part(double(id_matches), boxes); }
double TrackEvaluation::idf1() const { return part(2 * double(id_matches), boxes + found); }

TrackEvaluation& TrackEvaluation::operator+=(const TrackEvaluation& other) {
  frames += other.frames;
  objects += other.objects;
  tracks += other.tracks;
  boxes += other.boxes;
  found += other.found;
  matches += other.matches;
  switches += other.switches;
  id_matches += other.id_matches;
  overlap += other.overlap;
  return *this;
}

TrackEvaluation evaluate_tracks(const Tracks& truth, const Tracks& found, double min_overlap) {
  std::set<int> frames;
  for (const auto& [frame, boxes] : truth) frames.insert(frame);
  for (const auto& [frame, boxes] : found) frames.insert(frame);
  Matching matching(min_overlap);
  for (const int frame : frames) {
    const auto [t, f] = counted(boxes_of(truth, frame), boxes_of(found, frame), min_overlap);
    matching.add(t, f);
  }
  TrackEvaluation result = matching.finish();
  result.frames = truth.size();
  return result;
}

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
