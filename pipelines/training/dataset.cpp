// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/dataset.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "pipelines/training/photograph.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

std::runtime_error bad_line(const fs::path& file, int line, const std::string& why) {
  return std::runtime_error("annotation '" + file.string() + "' line " + std::to_string(line) +
                            ": " + why);
}

std::ifstream open(const fs::path& file) {
  std::ifstream stream(file);
  if (!stream) throw std::runtime_error("annotation '" + file.string() + "' cannot be opened");
  return stream;
}

/// "Bounding box for object 1 "PASperson" (Xmin, Ymin) - (Xmax, Ymax) : (160, 182) - (302, 431)"
std::vector<Box> read_pascal_boxes(const fs::path& file) {
  std::ifstream stream = open(file);
  std::vector<Box> boxes;
  std::string text;
  for (int line = 1; std::getline(stream, text); ++line) {
    if (text.rfind("Bounding box for object", 0) != 0) continue;
    const std::size_t colon = text.rfind(':');
    int left, top, right, bottom;
    if (colon == std::string::npos ||
        std::sscanf(text.c_str() + colon, ": (%d, %d) - (%d, %d)", &left, &top, &right, &bottom) !=
            4 ||
        right < left || bottom < top)
      throw bad_line(file, line, "expected ': (Xmin, Ymin) - (Xmax, Ymax)'");
    boxes.push_back({left - 1.0f, top - 1.0f, right - left + 1.0f, bottom - top + 1.0f});
  }
  return boxes;
}

Dataset read_penn_fudan(const fs::path& folder) {
  Dataset dataset{"Penn-Fudan", {}};
  for (const std::string& path : photographs_below((folder / "images").string())) {
    const fs::path annotation =
        folder / "annotations" / fs::path(path).filename().replace_extension(".txt");
    dataset.photographs.push_back(
        {fs::path(path).filename().string(), path, read_pascal_boxes(annotation), {}});
  }
  return dataset;
}

/// What seqinfo.ini says of a sequence; a sequence without one has its frames in img1.
struct Sequence {
  std::string frames = "img1";
  float width = 0, height = 0;  ///< of the frames; 0 when unknown
};

Sequence read_sequence(const fs::path& folder) {
  Sequence sequence;
  std::ifstream stream(folder / "seqinfo.ini");
  std::string text;
  while (std::getline(stream, text)) {
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos) continue;
    const std::string key = text.substr(0, equals), value = text.substr(equals + 1);
    if (key == "imDir") sequence.frames = value;
    if (key == "imWidth") sequence.width = static_cast<float>(std::atof(value.c_str()));
    if (key == "imHeight") sequence.height = static_cast<float>(std::atof(value.c_str()));
  }
  return sequence;
}

/// The part of a box that lies in the frame: nobody can find what the camera has not seen.
Box clipped(const Box& box, const Sequence& sequence) {
  if (sequence.width <= 0 || sequence.height <= 0) return box;
  const float left = std::clamp(box.x, 0.0f, sequence.width);
  const float top = std::clamp(box.y, 0.0f, sequence.height);
  const float right = std::clamp(box.x + box.width, 0.0f, sequence.width);
  const float bottom = std::clamp(box.y + box.height, 0.0f, sequence.height);
  return {left, top, right - left, bottom - top};
}

std::vector<double> numbers_of(const std::string& text) {
  std::vector<double> numbers;
  std::istringstream stream(text);
  std::string field;
  while (std::getline(stream, field, ',')) {
    try {
      numbers.push_back(std::stod(field));
    } catch (const std::exception&) {
      return {};
    }
  }
  return numbers;
}

void add_mot_entry(const std::vector<double>& v, const Sequence& sequence, Photograph& photograph) {
  static const std::set<int> kIgnoredClasses = {2, 7, 8, 12};
  const bool has_class = v.size() == 9;
  const bool considered = v[6] != 0;
  const int object = has_class ? static_cast<int>(v[7]) : 1;
  const Box box = clipped({static_cast<float>(v[2] - 1), static_cast<float>(v[3] - 1),
                           static_cast<float>(v[4]), static_cast<float>(v[5])},
                          sequence);
  if (object == 1 && considered)
    photograph.people.push_back(box);
  else if (object == 1 || kIgnoredClasses.contains(object))
    photograph.ignored.push_back(box);
}

Dataset read_mot(const fs::path& folder) {
  Dataset dataset{"MOTChallenge", {}};
  const Sequence sequence = read_sequence(folder);
  std::map<int, std::size_t> photograph_of_frame;
  for (const std::string& path : photographs_below((folder / sequence.frames).string())) {
    photograph_of_frame[std::atoi(fs::path(path).stem().c_str())] = dataset.photographs.size();
    dataset.photographs.push_back({fs::path(path).filename().string(), path, {}, {}});
  }
  const fs::path file = folder / "gt" / "gt.txt";
  std::ifstream stream = open(file);
  std::string text;
  for (int line = 1; std::getline(stream, text); ++line) {
    if (text.find_first_not_of(" \r\t") == std::string::npos) continue;
    const std::vector<double> v = numbers_of(text);
    if (v.size() < 7) throw bad_line(file, line, "expected at least 7 numbers between commas");
    const auto at = photograph_of_frame.find(static_cast<int>(v[0]));
    // Shortened copies of a sequence keep the whole gt.txt.
    if (at != photograph_of_frame.end())
      add_mot_entry(v, sequence, dataset.photographs[at->second]);
  }
  return dataset;
}

}  // namespace

Dataset read_dataset(const std::string& folder) {
  const fs::path path(folder);
  Dataset dataset;
  if (fs::is_directory(path / "annotations") && fs::is_directory(path / "images"))
    dataset = read_penn_fudan(path);
  else if (fs::is_regular_file(path / "gt" / "gt.txt"))
    dataset = read_mot(path);
  else
    throw std::runtime_error("'" + folder +
                             "' is no dataset: expected images/ and annotations/ (Penn-Fudan) or "
                             "gt/gt.txt and img1/ (MOTChallenge)");
  if (dataset.photographs.empty())
    throw std::runtime_error("dataset '" + folder + "' holds no photographs");
  return dataset;
}

}  // namespace tandem
