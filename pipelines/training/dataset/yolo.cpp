// SPDX-License-Identifier: LGPL-2.1-or-later
#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>
#include <stdexcept>

#include "pipelines/training/dataset/builder.h"
#include "pipelines/training/dataset/class_names.h"

namespace tandem::yolo {
namespace {

namespace fs = std::filesystem;

/// images/train/a.jpg has its boxes in labels/train/a.txt, train/images/a.jpg in
/// train/labels/a.txt, and a.jpg in a.txt.
fs::path label_file_of(const fs::path& picture) {
  std::vector<fs::path> parts(picture.begin(), picture.end());
  const auto images = std::find(parts.rbegin(), parts.rend(), "images");
  if (images != parts.rend()) *images = "labels";
  fs::path file;
  for (const fs::path& part : parts) file /= part;
  return file.replace_extension(".txt");
}

bool in_split(const fs::path& relative, const std::string& split) {
  return split.empty() || std::find(relative.begin(), relative.end(), split) != relative.end();
}

/// Pictures below the dataset, by their paths in it.
std::vector<fs::path> pictures_of(const fs::path& path, const std::string& split) {
  std::vector<fs::path> pictures;
  for (const std::string& picture : photographs_below(path.string())) {
    const fs::path relative = fs::path(picture).lexically_relative(path);
    if (in_split(relative.parent_path(), split)) pictures.push_back(relative);
  }
  return pictures;
}

/// The files of boxes in folders called labels; they all should have a picture.
std::set<fs::path> label_files_of(const fs::path& path, const std::string& split) {
  std::set<fs::path> files;
  for (const std::string& file : files_below(path.string())) {
    const fs::path relative = fs::path(file).lexically_relative(path);
    const fs::path folder = relative.parent_path();
    if (relative.extension() == ".txt" &&
        std::find(folder.begin(), folder.end(), "labels") != folder.end() &&
        in_split(folder, split) && !is_class_names_file(relative))
      files.insert(relative);
  }
  return files;
}

/// "class x y width height", the middle and the sides in parts of the picture's.
void read_boxes(const fs::path& file, const std::vector<std::string>& names, std::size_t photograph,
                DatasetBuilder& builder) {
  for_each_line(file, [&](const std::string& text, const Place& place) {
    std::istringstream fields(text);
    std::vector<std::string> columns;
    for (std::string field; fields >> field;) columns.push_back(field);
    if (columns.empty()) return;
    if (columns.size() != 5)
      throw place.error("expected 'CLASS X Y WIDTH HEIGHT', found " +
                        std::to_string(columns.size()) +
                        " columns (outlines are not read; convert them to boxes)");
    const double number = number_of(columns[0], "the class", place);
    const double most = names.empty() ? 65535 : static_cast<double>(names.size()) - 1;
    if (!(number >= 0 && number <= most && number == std::floor(number)))
      throw place.error("the class is " + columns[0].substr(0, 40) +
                        ", not a whole number from 0 to " + std::to_string(static_cast<int>(most)));
    const auto class_number = static_cast<std::size_t>(number);
    const auto [width, height] = builder.size_of(photograph);
    const double w = number_of(columns[3], "the width", place) * width;
    const double h = number_of(columns[4], "the height", place) * height;
    const double x = number_of(columns[1], "x", place) * width;
    const double y = number_of(columns[2], "y", place) * height;
    builder.add_box(photograph, names.empty() ? std::to_string(class_number) : names[class_number],
                    {x - w / 2, y - h / 2, w, h}, false, place);
  });
}

bool is_format(const fs::path& path) {
  if (!fs::is_directory(path)) return false;
  if (!label_files_of(path, "").empty()) return true;
  const std::vector<fs::path> pictures = pictures_of(path, "");
  return std::any_of(pictures.begin(), pictures.end(), [&](const fs::path& picture) {
    return fs::is_regular_file(path / label_file_of(picture));
  });
}

Dataset read(const fs::path& path, const DatasetOptions& options) {
  const std::vector<std::string> names = read_class_names({path, path / "labels"});
  const bool is_number = options.label.find_first_not_of("0123456789") == std::string::npos;
  if (names.empty() && !is_number)
    throw std::runtime_error("the class '" + options.label + "' has no number in '" +
                             path.string() +
                             "': put the names, one a line, into classes.txt, or give the number "
                             "as --label");
  DatasetBuilder builder("YOLO", options.label);
  std::set<fs::path> files = label_files_of(path, options.split);
  bool any_file = false;
  for (const fs::path& picture : pictures_of(path, options.split)) {
    const std::size_t photograph = builder.add_photograph(
        *picture.begin() == "images" ? picture.lexically_relative("images").string()
                                     : picture.string(),
        (path / picture).string());
    const fs::path file = label_file_of(picture);
    files.erase(file);
    // A picture without a file shows none of the classes.
    if (!fs::exists(path / file)) continue;
    any_file = true;
    read_boxes(path / file, names, photograph, builder);
  }
  if (!files.empty())
    throw std::runtime_error("annotation '" + (path / *files.begin()).string() +
                             "' has no picture of the same name in images/");
  if (builder.photographs() > 0 && !any_file)
    throw std::runtime_error("no picture of '" + path.string() + "' has a file of boxes");
  return builder.finish(path.string());
}

}  // namespace
}  // namespace tandem::yolo

const tandem::DatasetFormat tandem::kYoloFormat{"yolo", "labels/*.txt and images/ (YOLO)",
                                                yolo::is_format, yolo::read};
