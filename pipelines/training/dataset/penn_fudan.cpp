// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cstdio>
#include <stdexcept>

#include "pipelines/training/dataset/builder.h"

namespace tandem::penn_fudan {
namespace {

namespace fs = std::filesystem;

fs::path pictures_of(const fs::path& folder) {
  return first_folder(folder, {"PNGImages", "images"});
}
fs::path annotations_of(const fs::path& folder) {
  return first_folder(folder, {"Annotation", "annotations"});
}

/// Reads lines such as `Image size (X x Y x C) : 559 x 536 x 3` and, for each object,
/// `Bounding box for object 1 "PASperson" (Xmin, Ymin) - (Xmax, Ymax) : (160, 182) - (302, 431)`.
void read_boxes(const fs::path& file, std::size_t photograph, DatasetBuilder& builder) {
  for_each_line(file, [&](const std::string& text, const Place& place) {
    const bool size = text.starts_with("Image size"), box = text.starts_with("Bounding box");
    if (!size && !box) return;
    const std::size_t colon = text.rfind(':');
    const char* values = colon == std::string::npos ? "" : text.c_str() + colon;
    // As floating point: %d would take numbers that no int holds for others.
    double a, b, c, d;
    if (size) {
      if (std::sscanf(values, ": %lf x %lf", &a, &b) != 2)
        throw place.error("expected ': WIDTH x HEIGHT x CHANNELS'");
      return builder.expect_size(photograph, a, b, place);
    }
    if (std::sscanf(values, ": (%lf, %lf) - (%lf, %lf)", &a, &b, &c, &d) != 4)
      throw place.error("expected ': (Xmin, Ymin) - (Xmax, Ymax)'");
    // Pixels are counted from 1, and the last one is part of the box.
    builder.add_box(photograph, "person", {a - 1, b - 1, c - a + 1, d - b + 1}, false, place);
  });
}

bool is_format(const fs::path& path) {
  return !pictures_of(path).empty() && !annotations_of(path).empty();
}

Dataset read(const fs::path& path, const DatasetOptions& options) {
  if (!is_format(path))
    throw std::runtime_error("'" + path.string() +
                             "' lacks Annotation/ or PNGImages/ (or annotations/ or images/)");
  if (!options.split.empty()) throw std::runtime_error("Penn-Fudan has no splits");
  DatasetBuilder builder("Penn-Fudan", options.label);
  for (const std::string& picture : photographs_below(pictures_of(path).string())) {
    const fs::path name = fs::path(picture).filename();
    const std::size_t photograph = builder.add_photograph(name.string(), picture);
    read_boxes(annotations_of(path) / fs::path(name).replace_extension(".txt"), photograph,
               builder);
  }
  return builder.finish(path.string());
}

}  // namespace
}  // namespace tandem::penn_fudan

const tandem::DatasetFormat tandem::kPennFudanFormat{
    "penn-fudan", "Annotation/ and PNGImages/, or annotations/ and images/ (Penn-Fudan)",
    penn_fudan::is_format, penn_fudan::read};
