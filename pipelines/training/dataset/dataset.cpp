// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/training/dataset/dataset.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "files/utf8.h"
#include "pipelines/training/dataset/builder.h"

namespace tandem {
namespace {

namespace fs = std::filesystem;

// In the order in which they are tried.
constexpr const DatasetFormat* kFormats[] = {&kMotFormat, &kVocFormat, &kCocoFormat,
                                             &kPennFudanFormat, &kYoloFormat};

const DatasetFormat& format_of(const std::string& path, const std::string& name) {
  std::string known;
  for (const DatasetFormat* format : kFormats) {
    if (name.empty() ? format->is_format(path) : name == format->name) return *format;
    known +=
        (known.empty() ? "" : ", ") + std::string(name.empty() ? format->expected : format->name);
  }
  throw std::runtime_error(name.empty()
                               ? "'" + path + "' is not a dataset: expected " + known
                               : "there is no dataset format '" + name + "'; known are " + known);
}

}  // namespace

std::span<const char* const> dataset_formats() {
  static const auto names = [] {
    std::vector<const char*> all;
    for (const DatasetFormat* format : kFormats) all.push_back(format->name);
    return all;
  }();
  return names;
}

Dataset read_dataset(const std::string& path, const DatasetOptions& options) {
  if (!fs::exists(path)) throw std::runtime_error("there is no dataset '" + path + "'");
  if (!is_utf8(options.label)) throw std::runtime_error("the label of the dataset is not UTF-8");
  return format_of(path, options.format).read(path, options);
}

fs::path first_folder(const fs::path& folder, std::initializer_list<const char*> names,
                      const fs::path& otherwise) {
  for (const char* name : names)
    if (fs::is_directory(folder / name)) return folder / name;
  return otherwise;
}

std::vector<fs::path> files_in(const fs::path& folder, const std::string& extension) {
  std::vector<fs::path> files;
  if (!fs::is_directory(folder)) return files;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == extension)
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tandem
