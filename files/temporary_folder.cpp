// SPDX-License-Identifier: LGPL-2.1-or-later
#include "files/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <stdexcept>

namespace tandem {

std::string make_folder_in(const std::string& folder, const std::string& name) {
  std::string path = folder + "/" + name + "-XXXXXX";
  if (mkdtemp(path.data()) == nullptr)
    throw std::runtime_error("no folder can be made in '" + folder + "': " + std::strerror(errno));
  return path;
}

std::string make_temporary_folder(const std::string& name) {
  const char* named = std::getenv("TMPDIR");
  const bool chosen = named != nullptr && *named != '\0';
  try {
    return make_folder_in(chosen ? named : "/tmp", name);
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(
        error.what() + std::string(chosen ? "; TMPDIR has to name a folder that can be written"
                                          : "; name another folder by TMPDIR"));
  }
}

}  // namespace tandem
