// SPDX-License-Identifier: LGPL-2.1-or-later
#include "pipelines/tandem/output/output_file.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "files/ascii.h"
#include "pipelines/tandem/options/options.h"
#include "pipelines/tandem/output/text_output.h"

namespace tandem {

namespace fs = std::filesystem;

void check_output_file(const std::string& option, const std::string& path) {
  if (names_standard_output(path)) {
    throw UsageError(option +
                     ": this file cannot be written to standard output; name a file (./- if its "
                     "name is to be -)");
  }
  const fs::path file(path);
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  std::error_code error;
  check_output_folder(option, folder.string());
  if (fs::is_directory(file, error)) {
    throw Failure(option + ": '" + path + "' is a folder; give the name of a file in it");
  }
  const bool there = fs::exists(file, error);
  if (access(there ? path.c_str() : folder.c_str(), W_OK) != 0) {
    throw Failure(option + ": no permission to write '" + path + "'");
  }
  claim_output(option, path);
}

void check_output_folder(const std::string& option, const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return;
  if (fs::exists(path, error)) throw Failure(option + ": '" + path + "' is not a folder");
  throw Failure(option + ": there is no folder '" + path + "'",
                "Make it with: mkdir -p '" + path + "'");
}

void check_can_stream(const std::string& option, const std::string& path) {
  std::error_code error;
  const std::string extension = ascii_lower(fs::path(path).extension().string());
  if (!fs::is_fifo(path, error) || extension == ".mkv" || extension == ".webm" ||
      extension.starts_with(".og"))
    return;
  throw UsageError(option + ": a " + extension + " file cannot be written into a pipe, '" + path +
                   "'; .mkv, .webm and .ogv can");
}

}  // namespace tandem
