// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tandem {

/// The names of a YOLO dataset's classes, by number: of the first that there is of classes.txt and
/// obj.names (one a line) and data.yaml (its `names`: a list or numbered, in one line or several),
/// in one of `folders`. Empty where none is. Throws std::runtime_error that names file and line.
std::vector<std::string> read_class_names(const std::vector<std::filesystem::path>& folders);

/// A file of classes, not of boxes.
bool is_class_names_file(const std::filesystem::path& file);

}  // namespace tandem
