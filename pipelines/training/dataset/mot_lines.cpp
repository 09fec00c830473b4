// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/dataset/mot_lines.h"

#include <cmath>
#include <iterator>
#include <set>
#include <sstream>
#include <vector>

namespace tandem::mot {
namespace {

// By the number in column 8, from 1.
constexpr const char* kClasses[] = {
    "person",        "person on vehicle", "car",        "bicycle",  "motorbike",
    "other vehicle", "static person",     "distractor", "occluder", "occluder on the ground",
    "occluder full", "reflection",        "crowd"};
constexpr int kPerson = 1;
const std::set<int> kLikePeople = {2, 7, 8, 12};

constexpr int kMostFrames = 1 << 30;

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

Entry entry_of(const std::vector<double>& v, const std::string& label, const Place& place) {
  const bool has_class = v.size() == 9;
  const int number =
      has_class ? whole_number(v[7], "the class", static_cast<int>(std::size(kClasses)), place)
                : kPerson;
  Entry entry{whole_number(v[0], "the frame", kMostFrames, place),
              v[1],
              {v[2] - 1, v[3] - 1, v[4], v[5]},
              kClasses[number - 1],
              false};
  // No entry of the other classes is to be considered in the tracking of people: its flag is 0.
  if (label == kClasses[kPerson - 1]) {
    entry.ignored = kLikePeople.contains(number) || (number == kPerson && v[6] == 0);
    if (entry.ignored) entry.label = label;
  }
  return entry;
}

}  // namespace

void read_entries(const std::filesystem::path& file, const std::string& label,
                  const std::function<void(const Entry&, const Place&)>& add) {
  for_each_line(file, [&](const std::string& text, const Place& place) {
    if (!trimmed(text).empty()) add(entry_of(numbers_of(text, place), label, place), place);
  });
}

std::string sequence_info(const std::filesystem::path& folder, const std::string& key) {
  std::string value;
  if (!std::filesystem::exists(folder / "seqinfo.ini")) return value;
  for_each_line(folder / "seqinfo.ini", [&](const std::string& text, const Place&) {
    if (text.starts_with(key + "=")) value = trimmed(text.substr(key.size() + 1));
  });
  return value;
}

}  // namespace tandem::mot
