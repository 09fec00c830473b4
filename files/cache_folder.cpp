// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/cache_folder.h"

#include <cstdlib>
#include <filesystem>

namespace tandem {

namespace fs = std::filesystem;

std::string cache_path() {
  if (const char* own = std::getenv("TANDEM_CACHE_DIR"); own != nullptr && *own != 0) return own;
  if (const char* xdg = std::getenv("XDG_CACHE_HOME"); xdg != nullptr && *xdg == '/')
    return fs::path(xdg) / "tandem";
  if (const char* home = std::getenv("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".cache" / "tandem";
  return {};
}

}  // namespace tandem
