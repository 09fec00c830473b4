// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// The names of a YOLO dataset's classes, by number, from the first file that exists in one of
/// `folders`: classes.txt or obj.names (one a line), or data.yaml. There, `names` is a list or
/// numbered, in one line or several. Empty where none is. Throws std::runtime_error that names file
/// and line.
std::vector<std::string> read_class_names(const std::vector<std::filesystem::path>& folders);

/// A file of classes, not of boxes.
bool is_class_names_file(const std::filesystem::path& file);

}  // namespace tandem
