// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/same_file.h"

#include <filesystem>

#include "pipelines/tandem/options.h"
#include "pipelines/tandem/text.h"

namespace tandem {

namespace fs = std::filesystem;

bool same_file(const std::string& path, const std::string& other) {
  std::error_code error;
  if (fs::equivalent(path, other, error)) return true;  // links too; an error where one is missing
  const fs::path first = fs::weakly_canonical(path, error);
  return !error && first == fs::weakly_canonical(other, error) && !error;
}

void check_keeps_input(const std::string& option, const std::string& path, const std::string& uri) {
  const Text input(g_filename_from_uri(uri.c_str(), nullptr, nullptr));
  if (input && same_file(path, input.get()))
    throw UsageError(option + " would overwrite the input, '" + path + "'; name another file");
}

}  // namespace tandem
