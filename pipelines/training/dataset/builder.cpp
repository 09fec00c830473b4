// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/dataset/builder.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "files/ascii.h"
#include "files/parse_number.h"
#include "files/regular_file.h"
#include "files/utf8.h"

namespace tandem {
namespace {

// COCO's largest file has half a gigabyte.
constexpr std::size_t kMostAnnotationBytes = std::size_t{2} << 30;

std::string text_of(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.10g", value);
  return text;
}

std::string text_of(PictureSize size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

/// Annotations count pixels from 0 or 1, at their middle or their edge, and are rounded.
double rounding_of(int side) { return std::max(2.0, 0.01 * side); }

}  // namespace

std::runtime_error Place::error(const std::string& what) const {
  return std::runtime_error("annotation '" + file + "' " + position + ": " + what);
}

Place line_of(const std::filesystem::path& file, int line) {
  return {file.string(), "line " + std::to_string(line)};
}

std::string read_annotation(const std::filesystem::path& file) {
  RegularFile read = read_regular_file(file.string(), kMostAnnotationBytes);
  if (!read.problem.empty())
    throw std::runtime_error("annotation '" + file.string() + "' " + read.problem);
  return std::move(read.bytes);
}

void for_each_line(const std::filesystem::path& file,
                   const std::function<void(const std::string& text, const Place& place)>& visit) {
  std::istringstream stream(read_annotation(file));
  std::string text;
  for (int line = 1; std::getline(stream, text); ++line) visit(text, line_of(file, line));
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_ascii_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_ascii_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

double number_of(std::string_view text, const std::string& name, const Place& place) {
  const std::string number = trimmed(text);
  const auto value = parse_number<double>(number);
  if (!value || !std::isfinite(*value))
    throw place.error(name + " is '" + number.substr(0, 40) + "', not a finite number");
  return *value;
}

DatasetBuilder::DatasetBuilder(std::string layout, std::string label, Overhang overhang)
    : label_(std::move(label)), overhang_(overhang), dataset_{std::move(layout), {}} {}

std::size_t DatasetBuilder::add_photograph(std::string name, const std::string& path) {
  sizes_.push_back(picture_size(path));
  dataset_.photographs.push_back({std::move(name), path, {}, {}});
  return dataset_.photographs.size() - 1;
}

void DatasetBuilder::expect_size(std::size_t photograph, double width, double height,
                                 const Place& place) const {
  const PictureSize& size = sizes_[photograph];
  if (width != size.width || height != size.height)
    throw place.error("the picture is said to be of " + text_of(width) + "x" + text_of(height) +
                      " pixels, but '" + dataset_.photographs[photograph].path + "' has " +
                      text_of(size) + ": the boxes are of another picture");
}

void DatasetBuilder::add_box(std::size_t photograph, const std::string& label, const ExactBox& box,
                             bool ignored, const Place& place) {
  const PictureSize& size = sizes_[photograph];
  const auto fail = [&](const char* what) {
    return place.error("the box of " + text_of(box.width) + "x" + text_of(box.height) + " at (" +
                       text_of(box.x) + ", " + text_of(box.y) + ") " + what + " of " +
                       text_of(size) + ", '" + dataset_.photographs[photograph].path + "'");
  };
  if (!(box.width > 0 && box.height > 0)) throw place.error("the box has no width or no height");
  const bool goes_on = overhang_ == Overhang::kOncePicture;
  const auto reaches_over = [&](double from, double length, int side) {
    const double over = goes_on ? side : rounding_of(side);
    return !(from >= -over && from + length <= side + over);
  };
  if (reaches_over(box.x, box.width, size.width) || reaches_over(box.y, box.height, size.height))
    throw fail("reaches outside of the picture");
  const double left = std::max(0.0, box.x), top = std::max(0.0, box.y);
  const double right = std::min<double>(size.width, box.x + box.width);
  const double bottom = std::min<double>(size.height, box.y + box.height);
  if (right <= left || bottom <= top) {
    if (goes_on) return;  // nobody can find what the camera has not seen
    throw fail("lies outside of the picture");
  }
  ++boxes_of_class_[label];
  if (label != label_) return;
  Photograph& to = dataset_.photographs[photograph];
  (ignored ? to.ignored : to.objects)
      .push_back({static_cast<float>(left), static_cast<float>(top),
                  static_cast<float>(right - left), static_cast<float>(bottom - top)});
}

Dataset DatasetBuilder::finish(const std::string& path) {
  if (dataset_.photographs.empty())
    throw std::runtime_error("dataset '" + path + "' holds no photographs");
  if (!boxes_of_class_.empty() && !boxes_of_class_.contains(label_)) {
    constexpr std::size_t kMostNamed = 30;
    std::string classes;
    std::size_t named = 0;
    for (const auto& [label, boxes] : boxes_of_class_) {
      if (++named > kMostNamed) break;
      if (!classes.empty()) classes += ", ";
      classes += (is_utf8(label) ? label : "?") + " (" + std::to_string(boxes) + ")";
    }
    if (named > kMostNamed)
      classes += " and " + std::to_string(boxes_of_class_.size() - kMostNamed) + " more";
    throw std::runtime_error("dataset '" + path + "' holds no box of class '" + label_ +
                             "'; its classes are " + classes + ": choose one with --label");
  }
  std::stable_sort(dataset_.photographs.begin(), dataset_.photographs.end(),
                   [](const auto& a, const auto& b) { return a.name < b.name; });
  return std::move(dataset_);
}

}  // namespace tandem
