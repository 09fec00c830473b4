// SPDX-License-Identifier: LGPL-2.1-or-later
#pragma once

#include <exception>
#include <filesystem>
#include <new>
#include <string>

namespace tandem {

/// The cause and the remedy, for a user. The standard library's own exceptions name their
/// class or function instead.
inline std::string error_text(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr)
    return "there is not enough memory: end other programs, or use smaller frames or fewer cores";
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error)) {
    const std::string reason = file->code().message();
    return file->path1().empty() ? reason : "'" + file->path1().string() + "': " + reason;
  }
  return error.what();
}

}  // namespace tandem
