// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <filesystem>

#include "pipelines/training/dataset/dataset.h"

namespace tandem {

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
