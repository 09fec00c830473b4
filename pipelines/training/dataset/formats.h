// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <filesystem>

#include "pipelines/training/dataset/dataset.h"

/// A reader and a test for each format, each in a file of its own.
namespace tandem {

namespace penn_fudan {
bool is_format(const std::filesystem::path& path);
Dataset read(const std::filesystem::path& path, const DatasetOptions& options);
}  // namespace penn_fudan

namespace mot {
bool is_format(const std::filesystem::path& path);
Dataset read(const std::filesystem::path& path, const DatasetOptions& options);
}  // namespace mot

namespace voc {
bool is_format(const std::filesystem::path& path);
Dataset read(const std::filesystem::path& path, const DatasetOptions& options);
}  // namespace voc

namespace coco {
bool is_format(const std::filesystem::path& path);
Dataset read(const std::filesystem::path& path, const DatasetOptions& options);
}  // namespace coco

namespace yolo {
bool is_format(const std::filesystem::path& path);
Dataset read(const std::filesystem::path& path, const DatasetOptions& options);
}  // namespace yolo

/// The first of `names` that is a folder in `folder`; empty when there is none.
std::filesystem::path first_folder(const std::filesystem::path& folder,
                                   std::initializer_list<const char*> names);

/// The regular files of that extension (".xml") in a folder, sorted; none when it is no folder.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& folder,
                                            const std::string& extension);

}  // namespace tandem
