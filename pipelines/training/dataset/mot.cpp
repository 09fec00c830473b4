// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <stdexcept>

#include "pipelines/training/dataset/builder.h"

namespace tandem::mot {
namespace {

namespace fs = std::filesystem;

// By the number in column 8, from 1.
constexpr const char* kClasses[] = {
    "person",        "person on vehicle", "car",        "bicycle",  "motorbike",
    "other vehicle", "static person",     "distractor", "occluder", "occluder on the ground",
    "occluder full", "reflection",        "crowd"};
constexpr int kPerson = 1;
const std::set<int> kLikePeople = {2, 7, 8, 12};

/// What seqinfo.ini says of a sequence; a sequence without one has its frames in img1.
std::string frames_of(const fs::path& folder) {
  std::string frames = "img1";
  if (!fs::exists(folder / "seqinfo.ini")) return frames;
  for_each_line(folder / "seqinfo.ini", [&](const std::string& text, const Place&) {
    if (text.starts_with("imDir=")) frames = trimmed(text.substr(text.find('=') + 1));
  });
  return frames;
}

int whole_number(double value, const char* name, int most, const Place& place) {
  if (!(value >= 1 && value <= most && value == std::floor(value))) {
    std::ostringstream out;
    out << name << " is " << value << ", not a whole number from 1 to " << most;
    throw place.error(out.str());
  }
  return static_cast<int>(value);
}

std::vector<double> numbers_of(const std::string& text, const Place& place) {
  std::vector<double> numbers;
  std::istringstream stream(text);
  std::string field;
  while (std::getline(stream, field, ','))
    numbers.push_back(number_of(field, "column " + std::to_string(numbers.size() + 1), place));
  if (numbers.size() < 7) throw place.error("expected at least 7 numbers between commas");
  return numbers;
}

void add_entry(const std::vector<double>& v, std::size_t photograph, const std::string& label,
               const Place& place, DatasetBuilder& builder) {
  const bool has_class = v.size() == 9;
  const int number =
      has_class ? whole_number(v[7], "the class", static_cast<int>(std::size(kClasses)), place)
                : kPerson;
  std::string name = kClasses[number - 1];
  bool ignored = false;
  // Of the other classes no entry is to be considered in the tracking of people: the flag is 0.
  if (label == kClasses[kPerson - 1]) {
    ignored = kLikePeople.contains(number) || (number == kPerson && v[6] == 0);
    if (ignored) name = label;
  }
  builder.add_box(photograph, name, {v[2] - 1, v[3] - 1, v[4], v[5]}, ignored, place);
}

bool is_format(const fs::path& path) { return fs::is_regular_file(path / "gt" / "gt.txt"); }

Dataset read(const fs::path& path, const DatasetOptions& options) {
  if (!options.split.empty()) throw std::runtime_error("a MOTChallenge sequence has no splits");
  DatasetBuilder builder("MOTChallenge", options.label, DatasetBuilder::Overhang::kOncePicture);
  std::map<int, std::size_t> photograph_of_frame;
  for (const std::string& picture : photographs_below((path / frames_of(path)).string())) {
    const fs::path name = fs::path(picture).filename();
    photograph_of_frame[std::atoi(name.stem().c_str())] =
        builder.add_photograph(name.string(), picture);
  }
  constexpr int kMostFrames = 1 << 30;
  for_each_line(path / "gt" / "gt.txt", [&](const std::string& text, const Place& place) {
    if (trimmed(text).empty()) return;
    const std::vector<double> v = numbers_of(text, place);
    const auto at = photograph_of_frame.find(whole_number(v[0], "the frame", kMostFrames, place));
    // Shortened copies of a sequence keep the whole gt.txt.
    if (at != photograph_of_frame.end()) add_entry(v, at->second, options.label, place, builder);
  });
  return builder.finish(path.string());
}

}  // namespace
}  // namespace tandem::mot

const tandem::DatasetFormat tandem::kMotFormat{"mot", "gt/gt.txt and img1/ (MOTChallenge)",
                                               mot::is_format, mot::read};
