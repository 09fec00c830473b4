// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "pipelines/training/dataset/dataset.h"
#include "pipelines/training/dataset/photograph.h"

namespace tandem {

/// Where a box is written: for messages.
struct Place {
  std::string file;
  std::string position;  ///< "line 3", "annotations[7].bbox"
  std::runtime_error error(const std::string& what) const;
};
Place line_of(const std::filesystem::path& file, int line);

/// The text of a file of annotations; throws std::runtime_error that names it.
std::string read_annotation(const std::filesystem::path& file);

/// Calls visit(text, place) for each line of a file of annotations.
void for_each_line(const std::filesystem::path& file,
                   const std::function<void(const std::string& text, const Place& place)>& visit);

/// Without the white space around it.
std::string trimmed(std::string_view text);

/// A finite number and nothing else; throws place.error() that calls it `name`.
double number_of(std::string_view text, const std::string& name, const Place& place);

/// Collects the findings of a reader: keeps the boxes of one class, once they have been compared
/// with their picture.
class DatasetBuilder {
 public:
  /// The part of a picture's side by which a box may reach over its border.
  enum class Overhang { kRounding, kOncePicture };

  DatasetBuilder(std::string layout, std::string label, Overhang overhang = Overhang::kRounding);

  /// Gives its number. Throws when the picture cannot be read.
  std::size_t add_photograph(std::string name, const std::string& path);
  std::size_t photographs() const { return dataset_.photographs.size(); }
  PictureSize size_of(std::size_t photograph) const { return sizes_[photograph]; }

  /// The annotation says that the picture has this size; throws when it has another one.
  void expect_size(std::size_t photograph, double width, double height, const Place& place) const;

  struct ExactBox {
    double x, y, width, height;
  };
  /// Pixels counted from 0. Throws when it is not in the picture.
  void add_box(std::size_t photograph, const std::string& label, const ExactBox& box, bool ignored,
               const Place& place);

  /// Throws when nothing was added, or no box of the class among others. `path` is for messages.
  Dataset finish(const std::string& path);

 private:
  const std::string label_;
  const Overhang overhang_;
  Dataset dataset_;
  std::vector<PictureSize> sizes_;
  std::map<std::string, std::size_t> boxes_of_class_;
};

/// A format of datasets; a file each defines them.
struct DatasetFormat {
  const char* name;      ///< of --format
  const char* expected;  ///< files and folders, for messages
  bool (*is_format)(const std::filesystem::path& path);
  Dataset (*read)(const std::filesystem::path& path, const DatasetOptions& options);
};
extern const DatasetFormat kMotFormat, kVocFormat, kCocoFormat, kPennFudanFormat, kYoloFormat;

/// The first of `names` that is a folder in `folder`; else `otherwise`.
std::filesystem::path first_folder(const std::filesystem::path& folder,
                                   std::initializer_list<const char*> names,
                                   const std::filesystem::path& otherwise = {});

/// The regular files of that extension (".xml") in a folder, sorted; none when it is no folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            const std::string& extension);

}  // namespace tandem
